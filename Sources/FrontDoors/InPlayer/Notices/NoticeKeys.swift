public import Foundation
public import Gatefold

/// The temporary keys by which an app hears its account's notices (PROTOCOLS 5.2 "IoT keys", 5.5): made here, without Amazon
/// and without anything being remembered.
public struct NoticeKeys: Sendable {
    /// Apps take it for granted, in seconds.
    public static let lifetime: TimeInterval = 3600
    /// The device clock may be off by so much, in seconds, as with Amazon.
    static let clockSkew: TimeInterval = 900

    /// What the answer tells an app, under the answer's names.
    public struct Answer: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
        public let accessKey: String
        public let secretKey: String
        public let sessionToken: String
        public let region: String
        public let iotEndpoint: String

        public var description: String { "NoticeKeys.Answer(redacted)" }
        public var customMirror: Mirror { Mirror(self, children: []) }
    }

    private let codec: NoticePassCodec
    /// The public host of the broker's WebSocket listener, with a port where it is not 443.
    public let endpoint: String
    public let region: String

    public init(
        publication: PublicationID, secrets: SecretRing, endpoint: String, region: String, random: RandomSource
    ) {
        codec = NoticePassCodec(publication: publication, secrets: secrets, random: random)
        self.endpoint = endpoint
        self.region = region
    }

    /// Keys for an hour.
    ///
    /// - Parameter account: its uuid.
    /// - Returns: nil for what is too long to be one.
    public func make(for account: String, at moment: Date) -> Answer? {
        let pass = NoticePass(account: account, expiresAt: moment.addingTimeInterval(Self.lifetime))
        guard let sealed = codec.seal(pass), let secret = codec.signingSecrets(of: sealed).first else { return nil }
        return Answer(
            accessKey: NoticePassCodec.accessKey(of: sealed), secretKey: String(decoding: secret.bytes, as: UTF8.self),
            sessionToken: sealed, region: region, iotEndpoint: endpoint)
    }

    /// Whose keys signed the target, if they were good at that moment.
    ///
    /// - Parameter target: of the request that is to become a WebSocket, with its query.
    /// - Returns: the account's uuid, or nil.
    public func account(signing target: String, at moment: Date) -> String? {
        guard let signed = SignedTarget(target), abs(signed.moment.timeIntervalSince(moment)) <= Self.clockSkew,
            let pass = codec.open(signed.sessionToken), pass.expiresAt > moment,
            signed.isSigned(
                by: codec.signingSecrets(of: signed.sessionToken),
                named: NoticePassCodec.accessKey(of: signed.sessionToken), region: region, hosts: hosts)
        else { return nil }
        return pass.account
    }

    /// As a request's header `Host` may name it: some clients leave out a port that goes without saying, others do not.
    private var hosts: [String] {
        if endpoint.hasSuffix(":443") { return [endpoint, String(endpoint.dropLast(4))] }
        return endpoint.contains(":") ? [endpoint] : [endpoint, "\(endpoint):443"]
    }
}
