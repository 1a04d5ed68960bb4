import Crypto
public import Foundation
public import Primitives

/// A token that lets an app receive an account's notifications for a limited time.
public struct NotificationToken: Sendable, Equatable {
    /// The account's uuid.
    public var account: String
    public var expiresAt: Date
    /// The session that requested the token. Revoking the session also ends the token.
    public var subject: SaltSubject

    public init(account: String, expiresAt: Date, subject: SaltSubject) {
        self.account = account
        self.expiresAt = expiresAt
        self.subject = subject
    }
}

/// A codec for notification tokens and the keys that belong to each.
///
/// Tokens are sealed with an AEAD under keys that serve no other purpose. They are opaque, stateless and URL-safe
/// without padding. Source: InPlayer notifications protocol, “Keys document”.
public struct NotificationTokenCodec: Sendable {
    /// The maximum length of a token, in bytes. Longer texts are rejected without decoding.
    public static let maxLength = 512
    /// The maximum length of an account, in bytes.
    public static let maxAccountLength = 128

    private static let formatVersion: UInt8 = 2

    private let keys: SealingKeys
    private let signers: [SymmetricKey]
    private let context: [UInt8]
    private let random: RandomSource

    /// Creates a codec.
    ///
    /// - Parameters:
    ///   - publication: The identifier of the publication.
    ///   - secrets: The publication's secrets. The keys are derived from them (RFC 5869) and serve no other purpose.
    ///   - random: The source of randomness.
    public init(publication: PublicationID, secrets: SecretRing, random: RandomSource) {
        keys = SealingKeys(secrets, purpose: "notice pass", identifierSize: 4)
        signers = secrets.all.map {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: $0.bytes), info: Data("gatefold notice signer key 1".utf8),
                outputByteCount: 32)
        }
        context = Array("notice pass \(Self.formatVersion) \(publication)".utf8)
        self.random = random
    }

    /// Returns a sealed token, or nil for an account of more than ``maxAccountLength`` bytes.
    public func seal(_ token: NotificationToken) -> String? {
        guard token.account.utf8.count <= Self.maxAccountLength else { return nil }
        var writer = ByteWriter()
        writer.write(Self.formatVersion)
        writer.write(CompactTime.seconds(token.expiresAt))
        writer.write(CompactTime.seconds(token.subject.issuedAt))
        writer.write(token.subject.subscriber.bytes)
        writer.write(token.subject.session.bytes)
        writer.write(text: token.account)
        let nonce = random.bytes(SealingKeys.nonceSize)
        return (try? keys.seal(writer.bytes, authenticating: context, nonce: nonce)).map { Base64URL.encode($0) }
    }

    /// Returns the contents of a token, or nil if the text is invalid. The caller must check the expiry.
    public func open(_ text: String) -> NotificationToken? {
        guard text.utf8.count <= Self.maxLength, let sealed = Base64URL.decode(text),
            let bytes = keys.open(sealed, authenticating: context)
        else { return nil }
        var reader = ByteReader(bytes)
        guard reader.read(UInt8.self) == Self.formatVersion, let expiry = reader.read(UInt32.self),
            let issuedAt = reader.read(UInt32.self),
            let subscriber = reader.read(count: SubscriberPseudonym.size).flatMap({ SubscriberPseudonym(bytes: $0) }),
            let session = reader.read(count: SessionPseudonym.size).flatMap({ SessionPseudonym(bytes: $0) }),
            let account = reader.readText(), reader.isAtEnd
        else { return nil }
        return NotificationToken(
            account: account, expiresAt: CompactTime.date(expiry),
            subject: SaltSubject(subscriber: subscriber, session: session, issuedAt: CompactTime.date(issuedAt)))
    }

    /// Returns the secrets that the token's owner may sign with, one for each secret of the ring. Clients receive
    /// the first.
    public func signingSecrets(of token: String) -> [Secret] {
        signers.map { signer in
            let code = HMAC<SHA256>.authenticationCode(for: Data(token.utf8), using: signer)
            return Secret(Base64URL.encode(Array(code)))
        }
    }

    /// Returns the token's public name, which consists of upper-case letters and digits as Amazon's access keys do.
    public static func accessKey(of token: String) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        let digest = SHA256.hash(data: Data("gatefold notice name \(token)".utf8))
        return "ASIA" + String(decoding: digest.prefix(16).map { letters[Int($0 & 31)] }, as: UTF8.self)
    }
}
