import Crypto

/// A function that computes HMAC-SHA256 under one key.
///
/// The key is absorbed once, so that each message costs only its own blocks and the block of the result. Source: RFC
/// 2104, section 4.
package struct KeyedDigest: Sendable {
    private let inner: SHA256
    private let outer: SHA256

    /// - Parameter key: The key, of any length.
    package init(key: [UInt8]) {
        var block = key.count > SHA256.blockByteCount ? Array(SHA256.hash(data: key)) : key
        block += Array(repeating: 0, count: SHA256.blockByteCount - block.count)
        inner = Self.hash(absorbing: block.map { $0 ^ 0x36 })
        outer = Self.hash(absorbing: block.map { $0 ^ 0x5C })
    }

    /// Returns the 32 bytes of a message's digest.
    package func digest(_ message: [UInt8]) -> [UInt8] {
        authenticate(message).withUnsafeBytes { Array($0) }
    }

    /// Returns the first 16 bytes of a message's digest as two numbers.
    package func numbers(_ message: [UInt8]) -> (first: UInt64, second: UInt64) {
        authenticate(message).withUnsafeBytes { bytes in
            (
                UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    private func authenticate(_ message: [UInt8]) -> SHA256.Digest {
        var inner = inner
        message.withUnsafeBytes { inner.update(bufferPointer: $0) }
        var outer = outer
        inner.finalize().withUnsafeBytes { outer.update(bufferPointer: $0) }
        return outer.finalize()
    }

    private static func hash(absorbing block: [UInt8]) -> SHA256 {
        var hash = SHA256()
        block.withUnsafeBytes { hash.update(bufferPointer: $0) }
        return hash
    }
}
