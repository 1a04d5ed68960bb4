public import Foundation
public import Gatefold

/// An issuer of the keys with which an app connects to the notification broker.
///
/// Source: InPlayer notifications protocol, “Requests for keys”.
public protocol NotificationKeyIssuing: Sendable {
    /// Returns keys that are valid for an hour.
    ///
    /// - Parameters:
    ///   - account: The account's uuid, which is also the topic.
    ///   - subject: The session that requests the keys. The keys end with the session.
    ///   - timestamp: The current time.
    func keys(for account: String, subject: SaltSubject, at timestamp: Date) throws -> IssuedNotificationKeys
}

/// The keys for an app. The description is redacted, because anyone who has the keys can receive the notifications.
public struct IssuedNotificationKeys: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    public let accessKey: String
    public let secretKey: String
    public let sessionToken: String
    public let region: String
    /// The broker's public host, with a port unless it is 443.
    public let endpoint: String

    public init(accessKey: String, secretKey: String, sessionToken: String, region: String, endpoint: String) {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
        self.region = region
        self.endpoint = endpoint
    }

    public var description: String { "IssuedNoticeKeys(redacted)" }
    public var debugDescription: String { description }
}

extension NotificationKeyIssuer: NotificationKeyIssuing {
    public func keys(for account: String, subject: SaltSubject, at timestamp: Date) throws -> IssuedNotificationKeys {
        guard let made = make(for: account, subject: subject, at: timestamp) else { throw InPlayerRejection.notOffered }
        return IssuedNotificationKeys(
            accessKey: made.accessKey, secretKey: made.secretKey, sessionToken: made.sessionToken,
            region: made.region, endpoint: made.iotEndpoint)
    }
}
