import Foundation
public import Primitives

/// A codec of tokens that are sealed with an AEAD: opaque, stateless, URL-safe without padding. Source: Design
/// rules, “Tokens are sealed and stateless”.
public struct SealedTokenCodec: TokenCodec {
    /// The maximum length of a token, in bytes. Longer texts are rejected without decoding.
    public static let maxTokenLength = 16_384
    /// The maximum total length of backend name, subscriber key and upstream session, in bytes.
    public static let maxSubscriberLength = 8_192
    static let formatVersion: UInt8 = 1

    private let publication: PublicationID
    private let keys: SealingKeys
    private let random: RandomSource
    private let context: [UInt8]

    /// The purpose of a token. A token sealed for one purpose is not valid for another.
    public enum Purpose: String, Sendable {
        /// A token that sign-in returns. It can be renewed.
        case token
        /// A session inside a signed access token. A reader of the access token must not be able to renew it.
        case access
    }

    public init(
        publication: PublicationID, secrets: SecretRing, random: RandomSource, purpose: Purpose = .token
    ) {
        self.publication = publication
        self.random = random
        keys = SealingKeys(secrets, purpose: purpose.rawValue, identifierSize: 4)
        context = Array("\(purpose.rawValue) \(Self.formatVersion) \(publication)".utf8)
    }

    /// Returns the sealed token of a session.
    ///
    /// - Throws: ``TokenError/subscriberTooLong`` if the subscriber exceeds ``maxSubscriberLength``.
    public func seal(_ session: Session) throws -> String {
        let subscriber = session.subscriber
        let length =
            subscriber.backend.utf8.count + subscriber.key.utf8.count + (subscriber.upstreamSession?.utf8.count ?? 0)
        guard length <= Self.maxSubscriberLength else { throw TokenError.subscriberTooLong }
        var writer = ByteWriter(capacity: length + 32)
        writer.write(Self.formatVersion)
        writer.write(CompactTime.seconds(session.issuedAt))
        writer.write(CompactTime.seconds(session.expiresAt))
        writer.write(session.reference.bytes)
        writer.write(UInt8((session.device == nil ? 0 : 1) | (subscriber.upstreamSession == nil ? 0 : 2)))
        if let device = session.device { writer.write(device.bytes) }
        writer.write(text: subscriber.backend)
        writer.write(text: subscriber.key)
        if let upstream = subscriber.upstreamSession { writer.write(text: upstream) }
        let nonce = random.bytes(SealingKeys.nonceSize)
        return Base64URL.encode(try keys.seal(writer.bytes, authenticating: context, nonce: nonce))
    }

    public func open(_ token: String) -> Session? {
        guard token.utf8.count <= Self.maxTokenLength, let sealed = Base64URL.decode(token),
            let bytes = keys.open(sealed, authenticating: context)
        else { return nil }
        var reader = ByteReader(bytes)
        guard reader.read(UInt8.self) == Self.formatVersion,
            let issuedAt = reader.read(UInt32.self), let expiresAt = reader.read(UInt32.self),
            let reference = reader.read(count: SessionPseudonym.size).flatMap({ SessionPseudonym(bytes: $0) }),
            let flags = reader.read(UInt8.self)
        else { return nil }
        var device: DevicePseudonym?
        if flags & 1 != 0 {
            guard let read = reader.read(count: DevicePseudonym.size) else { return nil }
            device = DevicePseudonym(bytes: read)
        }
        guard let backend = reader.readText(), let key = reader.readText() else { return nil }
        var upstream: String?
        if flags & 2 != 0 {
            guard let read = reader.readText() else { return nil }
            upstream = read
        }
        guard reader.isAtEnd else { return nil }
        return Session(
            publication: publication, subscriber: Subscriber(backend: backend, key: key, upstreamSession: upstream),
            device: device, reference: reference, issuedAt: CompactTime.date(issuedAt),
            expiresAt: CompactTime.date(expiresAt))
    }
}

/// The reason that a token could not be created.
public enum TokenError: Error, Equatable, Sendable, CustomStringConvertible {
    case subscriberTooLong

    public var description: String {
        "the backend's key and session for the subscriber exceed \(SealedTokenCodec.maxSubscriberLength) bytes"
    }
}
