public import Foundation
public import Gatefold
public import Primitives

/// The temporary keys with which an app receives its account's notifications. They are made here, without Amazon
/// and without stored state.
///
/// Source: InPlayer notifications protocol, “Requests for keys” and “MQTT connection”.
public struct NotificationKeyIssuer: Sendable {
    /// The lifetime of keys, in seconds. Apps assume this value.
    public static let lifetime: TimeInterval = 3600
    /// The maximum deviation of the device clock, in seconds, as with Amazon.
    static let clockSkew: TimeInterval = 900

    /// The keys in a response to an app, under the names of the response.
    public struct IssuedToken: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
        public let accessKey: String
        public let secretKey: String
        public let sessionToken: String
        public let region: String
        public let iotEndpoint: String

        public var description: String { "NoticeKeys.Answer(redacted)" }
        public var customMirror: Mirror { Mirror(self, children: []) }
    }

    private let codec: NotificationTokenCodec
    private let revocations: RevocationList
    /// The public host of the broker's WebSocket listener, with a port unless it is 443.
    public let endpoint: String
    public let region: String

    /// - Parameters:
    ///   - publication: The identifier of the publication.
    ///   - secrets: The publication's token secrets. The keys are derived from them.
    ///   - revocations: The publication's revocations. Keys end with the session that requested them.
    ///   - endpoint: The public host of the broker's WebSocket listener, with a port unless it is 443.
    ///   - region: The region that the signed address names.
    ///   - random: The source of randomness.
    public init(
        publication: PublicationID, secrets: SecretRing, revocations: RevocationList, endpoint: String, region: String,
        random: RandomSource
    ) {
        self.revocations = revocations
        codec = NotificationTokenCodec(publication: publication, secrets: secrets, random: random)
        self.endpoint = endpoint
        self.region = region
    }

    /// Creates keys that are valid for an hour.
    ///
    /// - Parameters:
    ///   - account: The account's uuid.
    ///   - subject: The session that requests the keys.
    ///   - timestamp: The current time.
    /// - Returns: The keys, or `nil` if the account's text is too long.
    public func make(for account: String, subject: SaltSubject, at timestamp: Date) -> IssuedToken? {
        let token = NotificationToken(
            account: account, expiresAt: timestamp.addingTimeInterval(Self.lifetime), subject: subject)
        guard let sealed = codec.seal(token), let secret = codec.signingSecrets(of: sealed).first else { return nil }
        return IssuedToken(
            accessKey: NotificationTokenCodec.accessKey(of: sealed),
            secretKey: String(decoding: secret.bytes, as: UTF8.self),
            sessionToken: sealed, region: region, iotEndpoint: endpoint)
    }

    /// Returns the account whose keys signed the target, if the keys were valid at that time.
    ///
    /// - Parameters:
    ///   - target: The target of the request for a WebSocket, with its query.
    ///   - timestamp: The current time.
    /// - Returns: The account's uuid, or `nil`.
    public func account(signing target: String, at timestamp: Date) -> String? {
        guard let signed = SignedTarget(target), abs(signed.timestamp.timeIntervalSince(timestamp)) <= Self.clockSkew,
            let token = codec.open(signed.sessionToken), token.expiresAt > timestamp,
            !revocations.isRevoked(token.subject),
            signed.isSigned(
                by: codec.signingSecrets(of: signed.sessionToken),
                named: NotificationTokenCodec.accessKey(of: signed.sessionToken), region: region, hosts: hosts)
        else { return nil }
        return token.account
    }

    /// The values that the `Host` header of a request may have. Some clients omit a default port, others do not.
    private var hosts: [String] {
        if endpoint.hasSuffix(":443") { return [endpoint, String(endpoint.dropLast(4))] }
        return endpoint.contains(":") ? [endpoint] : [endpoint, "\(endpoint):443"]
    }
}
