import Primitives

/// An opaque text that names a subscriber in the URLs of the admin API.
///
/// It contains the backend and the key, sealed with the secret of the state, so that neither a URL nor an access log
/// reveals a person. Two handles of one subscriber differ, because each is sealed under its own nonce. It contains no
/// publication, because a subscriber belongs to every publication with the backend: the API checks the publication of each
/// call, and a handle permits nothing by itself.
package struct ReaderHandle: Hashable, Sendable, CustomStringConvertible {
    /// The maximum length of the text of a handle, in bytes.
    package static let maxLength = 8192
    private static let purpose = "reader handle"
    private static let version: UInt8 = 1

    /// Letters, digits, `-` and `_`, which need no escape in a URL.
    package let description: String

    /// - Throws: ``ReaderHandleError/tooLong`` for a subscriber whose name and key do not fit, or an error of sealing.
    package init(_ subscriber: Subscriber, key: PseudonymKey) throws {
        guard subscriber.backend.utf8.count + subscriber.key.utf8.count <= Self.maxLength / 2 else {
            throw ReaderHandleError.tooLong
        }
        var writer = ByteWriter(capacity: 64)
        writer.write(Self.version)
        writer.write(text: subscriber.backend)
        writer.write(text: subscriber.key)
        description = Base64URL.encode(try key.seal(writer.bytes, for: Self.purpose))
    }

    /// Returns the subscriber of a handle, without an upstream session, or nil if the text is no handle that was sealed
    /// with this key.
    package static func open(_ text: some StringProtocol, key: PseudonymKey) -> Subscriber? {
        guard text.utf8.count <= maxLength, let sealed = Base64URL.decode(String(text)),
            let plain = key.open(sealed, for: purpose)
        else { return nil }
        var reader = ByteReader(plain)
        guard reader.read(UInt8.self) == version, let backend = reader.readText(), let key = reader.readText(),
            reader.isAtEnd
        else { return nil }
        return Subscriber(backend: backend, key: key)
    }
}

package enum ReaderHandleError: Error, Equatable {
    case tooLong
}
