public import Foundation

/// Where an app's push tokens are good.
public enum PushEnvironment: String, Sendable, CaseIterable {
    case production
    /// Builds signed for development.
    case sandbox
}

/// What the notification service knows one installation of an app by.
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

/// A token with its place in the store's order.
public struct RegisteredPushToken: Sendable, Equatable {
    public let sequence: Int64
    public let token: PushToken
    /// When the app last sent it.
    public let registered: Date

    public init(sequence: Int64, token: PushToken, registered: Date) {
        self.sequence = sequence
        self.token = token
        self.registered = registered
    }
}

/// A notification to all installations of an app, sent in the order of the store, so that it can be taken up where it stopped.
public struct PushCampaign: Sendable, Equatable {
    /// Names it for good: the same name is the same campaign, begun once.
    public let name: String
    public let publication: PublicationID
    public let app: String
    public let environment: PushEnvironment
    public let edition: EditionID?
    public let begun: Date
    /// The last token that was dealt with; 0 before the first.
    public var position: Int64
    public var sent: Int
    public var failed: Int
    /// Tokens that the service no longer knows.
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
