public import Foundation

/// What a sealed salt carries: until when it is good, and the session it came from.
///
/// 63 URL-safe characters, so that with any edition and secret it stays an ordinary salt to a verifier that knows only the
/// SHA-1 rule: one byte naming the key, a nonce of 12, 18 encrypted bytes, a tag of 16.
public struct SealedSalt: Sendable, Equatable {
    /// The length of the text, in bytes.
    public static let length = 63

    /// A whole minute; the salt is good until this moment, not at it.
    public let expiresAt: Date
    public let subscriber: SubscriberReference
    public let session: SessionReference
    /// When the session, not the salt, was issued: what a revocation is compared with.
    public let sessionIssuedAt: Date

    public init(
        expiresAt: Date, subscriber: SubscriberReference, session: SessionReference, sessionIssuedAt: Date
    ) {
        self.expiresAt = expiresAt
        self.subscriber = subscriber
        self.session = session
        self.sessionIssuedAt = sessionIssuedAt
    }
}

/// Seals and opens the salts of one publication.
public struct SaltSealer: Sendable {
    private let keys: SealingKeys
    /// What every salt's seal is bound to, but for the edition.
    private let context: [UInt8]
    private let random: RandomSource

    public init(publication: PublicationID, secrets: SecretRing, random: RandomSource) {
        self.random = random
        context = Array("salt 1 \(publication) ".utf8)
        keys = SealingKeys(secrets, purpose: "salt", identifierSize: 1)
    }

    /// The salt as text. It is bound to the edition: for another one it does not open.
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

    /// Returns nil for a text that is no sealed salt of this publication and edition.
    public func open(_ text: some StringProtocol, for edition: EditionID) -> SealedSalt? {
        guard text.utf8.count == SealedSalt.length, let sealed = Base64URL.decode(text),
            let bytes = keys.open(sealed, authenticating: context(edition))
        else { return nil }
        var reader = ByteReader(bytes)
        guard let high = reader.read(UInt8.self), let low = reader.read(UInt16.self),
            let issuedAt = reader.read(UInt32.self),
            let subscriber = reader.read(count: SubscriberReference.size).flatMap({ SubscriberReference(bytes: $0) }),
            let session = reader.read(count: SessionReference.size).flatMap({ SessionReference(bytes: $0) }),
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
