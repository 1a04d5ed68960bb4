public import Gatefold
import Primitives

/// A subscriber that is readable only with the secret of the state. The state store holds this form of a linked
/// reader.
public struct SealedSubscriber: Sendable, Hashable {
    public let bytes: [UInt8]

    public init(bytes: [UInt8]) { self.bytes = bytes }
}

extension PseudonymKey {
    private static let purpose = "gatefold linked subscriber 1"

    /// Seals a subscriber.
    public func seal(_ subscriber: Subscriber) throws -> SealedSubscriber {
        var writer = ByteWriter()
        writer.write(text: subscriber.backend)
        writer.write(text: subscriber.key)
        return SealedSubscriber(bytes: try seal(writer.bytes, for: Self.purpose))
    }

    /// Returns the subscriber, or nil if it was not sealed with this key.
    public func open(_ sealed: SealedSubscriber) -> Subscriber? {
        guard let plain = open(sealed.bytes, for: Self.purpose) else { return nil }
        var reader = ByteReader(plain)
        guard let backend = reader.readText(), let key = reader.readText(), reader.isAtEnd else { return nil }
        return Subscriber(backend: backend, key: key)
    }
}
