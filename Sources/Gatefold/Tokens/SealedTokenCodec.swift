import Foundation

/// Tokens sealed with an AEAD: opaque, stateless, URL-safe without padding (DESIGN "Tokens").
public struct SealedTokenCodec: TokenCodec {
    /// A longer text, in bytes, is not looked at.
    public static let longestToken = 16_384
    /// The longest backend name, subscriber key and upstream session together, in bytes.
    public static let longestSubscriber = 8_192
    static let formatVersion: UInt8 = 1

    private let publication: PublicationID
    private let keys: SealingKeys
    private let random: RandomSource
    private let context: [UInt8]

    /// What the tokens are for: one sealed for a purpose is none for another.
    public enum Purpose: String, Sendable {
        /// What sign-in hands out; can be renewed.
        case token
        /// A session inside a signed access token: whoever may read that must not be able to renew it.
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

    /// - Throws: ``TokenError/subscriberTooLong`` when the backend's key does not fit.
    public func seal(_ session: Session) throws -> String {
        let subscriber = session.subscriber
        let length =
            subscriber.backend.utf8.count + subscriber.key.utf8.count + (subscriber.upstreamSession?.utf8.count ?? 0)
        guard length <= Self.longestSubscriber else { throw TokenError.subscriberTooLong }
        var writer = ByteWriter()
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
        guard token.utf8.count <= Self.longestToken, let sealed = Base64URL.decode(token),
            let bytes = keys.open(sealed, authenticating: context)
        else { return nil }
        var reader = ByteReader(bytes)
        guard reader.read(UInt8.self) == Self.formatVersion,
            let issuedAt = reader.read(UInt32.self), let expiresAt = reader.read(UInt32.self),
            let reference = reader.read(count: SessionReference.size).flatMap({ SessionReference(bytes: $0) }),
            let flags = reader.read(UInt8.self)
        else { return nil }
        var device: DeviceReference?
        if flags & 1 != 0 {
            guard let read = reader.read(count: DeviceReference.size) else { return nil }
            device = DeviceReference(bytes: read)
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

/// Why a token could not be made.
public enum TokenError: Error, Equatable, Sendable, CustomStringConvertible {
    case subscriberTooLong

    public var description: String {
        "the backend's key and session for the subscriber exceed \(SealedTokenCodec.longestSubscriber) bytes"
    }
}
