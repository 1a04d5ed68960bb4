import Crypto
import Foundation
public import Gatefold
import Primitives

/// A subscriber that is readable only with the secret of the state. The state store holds this form of a linked
/// reader.
public struct SealedSubscriber: Sendable, Hashable {
    public let bytes: [UInt8]

    public init(bytes: [UInt8]) { self.bytes = bytes }
}

extension PseudonymKey {
    private static let purpose = Data("gatefold linked subscriber 1".utf8)

    /// Seals a subscriber with ChaCha20-Poly1305 (RFC 8439) under a random nonce.
    public func seal(_ subscriber: Subscriber) throws -> SealedSubscriber {
        var writer = ByteWriter()
        writer.write(text: subscriber.backend)
        writer.write(text: subscriber.key)
        let box = try ChaChaPoly.seal(writer.bytes, using: sealingKey, authenticating: Self.purpose)
        return SealedSubscriber(bytes: Array(box.combined))
    }

    /// Returns the subscriber, or nil if it was not sealed with this key.
    public func open(_ sealed: SealedSubscriber) -> Subscriber? {
        guard let box = try? ChaChaPoly.SealedBox(combined: sealed.bytes),
            let plain = try? ChaChaPoly.open(box, using: sealingKey, authenticating: Self.purpose)
        else { return nil }
        var reader = ByteReader(Array(plain))
        guard let backend = reader.readText(), let key = reader.readText(), reader.isAtEnd else { return nil }
        return Subscriber(backend: backend, key: key)
    }

    private var sealingKey: SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Self.purpose, outputByteCount: 32)
    }
}
