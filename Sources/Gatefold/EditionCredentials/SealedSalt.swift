public import Foundation
public import Primitives

/// The contents of a sealed salt: its expiry and the session that it was issued for.
///
/// The text has 63 URL-safe characters, so that a verifier that knows only the SHA-1 rule treats it as an ordinary
/// salt with any edition and secret. It encodes one byte for the key, a nonce of 12 bytes, 18 encrypted bytes and a
/// tag of 16 bytes.
public struct SealedSalt: Sendable, Equatable {
    /// The length of the text, in bytes.
    public static let length = 63

    /// The expiry, a whole minute. The salt is valid until this time, exclusive.
    public let expiresAt: Date
    public let subscriber: SubscriberPseudonym
    public let session: SessionPseudonym
    /// The issue time of the session, not of the salt. Revocations compare with it.
    public let sessionIssuedAt: Date

    public init(
        expiresAt: Date, subscriber: SubscriberPseudonym, session: SessionPseudonym, sessionIssuedAt: Date
    ) {
        self.expiresAt = expiresAt
        self.subscriber = subscriber
        self.session = session
        self.sessionIssuedAt = sessionIssuedAt
    }
}

/// A codec that seals and opens the salts of one publication.
public struct SaltSealer: Sendable {
    private let keys: SealingKeys
    /// The authenticated context of every salt, without the edition.
    private let context: [UInt8]
    private let random: RandomSource

    public init(publication: PublicationID, secrets: SecretRing, random: RandomSource) {
        self.random = random
        context = Array("salt 1 \(publication) ".utf8)
        keys = SealingKeys(secrets, purpose: "salt", identifierSize: 1)
    }

    /// Returns the sealed salt as text. The salt is bound to the edition: it does not open for another edition.
    public func seal(_ salt: SealedSalt, for edition: EditionID) throws -> String {
        var writer = ByteWriter()
        let minutes = CompactTime.minutes(salt.expiresAt)
        writer.write(UInt8(truncatingIfNeeded: minutes >> 16))
        writer.write(UInt16(truncatingIfNeeded: minutes))
        writer.write(CompactTime.seconds(salt.sessionIssuedAt))
        writer.write(salt.subscriber.bytes)
        writer.write(salt.session.bytes)
        let nonce = random.bytes(SealingKeys.nonceSize)
        return Base64URL.encode(try keys.seal(writer.bytes, authenticating: context(edition), nonce: nonce))
    }

    /// Returns the contents of a salt, or nil if the text is not a sealed salt of this publication and edition.
    public func open(_ text: some StringProtocol, for edition: EditionID) -> SealedSalt? {
        guard text.utf8.count == SealedSalt.length, let sealed = Base64URL.decode(text),
            let bytes = keys.open(sealed, authenticating: context(edition))
        else { return nil }
        var reader = ByteReader(bytes)
        guard let high = reader.read(UInt8.self), let low = reader.read(UInt16.self),
            let issuedAt = reader.read(UInt32.self),
            let subscriber = reader.read(count: SubscriberPseudonym.size).flatMap({ SubscriberPseudonym(bytes: $0) }),
            let session = reader.read(count: SessionPseudonym.size).flatMap({ SessionPseudonym(bytes: $0) }),
            reader.isAtEnd
        else { return nil }
        return SealedSalt(
            expiresAt: CompactTime.date(minutes: UInt32(high) << 16 | UInt32(low)), subscriber: subscriber,
            session: session, sessionIssuedAt: CompactTime.date(issuedAt))
    }

    private func context(_ edition: EditionID) -> [UInt8] {
        context + edition.rawValue.utf8
    }
}
