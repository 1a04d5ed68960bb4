import Primitives

/// The backend and the key of a subscriber, sealed with a key that is derived from that of the pseudonyms.
///
/// A store of events has it to find the reader of a pseudonym without a name in clear.
package struct SealedReader: Sendable, Hashable {
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// - Throws: The error of the cipher.
    package init(_ subscriber: Subscriber, _ key: PseudonymKey) throws {
        var writer = ByteWriter()
        writer.write(UInt32(truncatingIfNeeded: subscriber.backend.utf8.count))
        writer.write(Array(subscriber.backend.utf8))
        writer.write(Array(subscriber.key.utf8))
        bytes = try key.seal(writer.bytes, for: Self.purpose)
    }

    /// Returns the subscriber, or nil if the bytes were not sealed with this key.
    package func subscriber(_ key: PseudonymKey) -> Subscriber? {
        guard let plain = key.open(bytes, for: Self.purpose) else { return nil }
        var reader = ByteReader(plain)
        guard let length = reader.read(UInt32.self), let backend = reader.read(count: Int(length)),
            let name = String(validating: backend, as: UTF8.self),
            let key = String(validating: reader.readRest(), as: UTF8.self)
        else { return nil }
        return Subscriber(backend: name, key: key)
    }

    private static let purpose = "known reader"
}
