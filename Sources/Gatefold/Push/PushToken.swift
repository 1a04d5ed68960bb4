public import Foundation

/// The environment in which an app's push tokens are valid.
public enum PushEnvironment: String, Sendable, CaseIterable {
    case production
    /// The environment of builds signed for development.
    case sandbox
}

/// The notification service's identifier of one installation of an app.
public struct PushToken: Hashable, Sendable {
    /// The app's bundle identifier, which is the notification's topic.
    public let app: String
    public let bytes: [UInt8]
    public let environment: PushEnvironment

    public init(app: String, bytes: [UInt8], environment: PushEnvironment) {
        self.app = app
        self.bytes = bytes
        self.environment = environment
    }
}

/// A token with its position in the store's order.
public struct RegisteredPushToken: Sendable, Equatable {
    public let sequence: Int64
    public let token: PushToken
    /// The time at which the app last sent the token.
    public let registered: Date

    public init(sequence: Int64, token: PushToken, registered: Date) {
        self.sequence = sequence
        self.token = token
        self.registered = registered
    }
}

/// A notification to all installations of an app. It is sent in the store's order, so that a stopped campaign can
/// resume.
public struct PushCampaign: Sendable, Equatable {
    /// The permanent name of the campaign. The same name is the same campaign, started only once.
    public let name: String
    public let publication: PublicationID
    public let app: String
    public let environment: PushEnvironment
    public let edition: EditionID?
    public let begun: Date
    /// The sequence number of the last processed token; 0 before the first.
    public var position: Int64
    public var sent: Int
    public var failed: Int
    /// The number of tokens that the service no longer accepts.
    public var gone: Int
    public var finished: Date?

    public init(
        name: String, publication: PublicationID, app: String, environment: PushEnvironment, edition: EditionID?,
        begun: Date, position: Int64 = 0, sent: Int = 0, failed: Int = 0, gone: Int = 0, finished: Date? = nil
    ) {
        self.name = name
        self.publication = publication
        self.app = app
        self.environment = environment
        self.edition = edition
        self.begun = begun
        self.position = position
        self.sent = sent
        self.failed = failed
        self.gone = gone
        self.finished = finished
    }
}
