public import Foundation

/// Makes the keys that an app connects to the notices' broker with (PROTOCOLS 5.5).
public protocol NoticeKeyIssuing: Sendable {
    /// Keys for an hour.
    ///
    /// - Parameter account: the uuid, which is the topic, too.
    func keys(for account: String, at moment: Date) throws -> IssuedNoticeKeys
}

/// Has no description of its own on purpose: whoever has them can listen.
public struct IssuedNoticeKeys: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    public let accessKey: String
    public let secretKey: String
    public let sessionToken: String
    public let region: String
    /// The broker's public host, with a port where it is not 443.
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

extension NoticeKeys: NoticeKeyIssuing {
    public func keys(for account: String, at moment: Date) throws -> IssuedNoticeKeys {
        guard let made = make(for: account, at: moment) else { throw InPlayerRefusal.notOffered }
        return IssuedNoticeKeys(
            accessKey: made.accessKey, secretKey: made.secretKey, sessionToken: made.sessionToken,
            region: made.region, endpoint: made.iotEndpoint)
    }
}
