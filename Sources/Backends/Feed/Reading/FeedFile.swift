import Crypto
import Foundation
import Transfers

/// A fetched file, read piece by piece.
enum FeedFile {
    private static let piece = 1 << 18

    /// Hands over the file's bytes, unpacked where it is packed.
    ///
    /// - Parameter limit: the most bytes, unpacked.
    /// - Throws: ``FeedRefusal`` or what `body` throws.
    static func read(
        _ path: String, isPacked: Bool, limit: Int, _ body: ([UInt8]) throws -> Void
    ) throws {
        var size = 0
        func count(_ bytes: [UInt8]) throws(FeedRefusal) {
            size += bytes.count
            if size > limit { throw .tooLarge(limit: limit) }
        }
        guard isPacked else {
            return try plain(path) { bytes in
                try count(bytes)
                try body(bytes)
            }
        }
        let file = try GzipFile(path: path)
        while true {
            let bytes: [UInt8]
            do {
                bytes = try file.next(piece)
            } catch {
                throw FeedRefusal.compression
            }
            if bytes.isEmpty { return }
            try count(bytes)
            try body(bytes)
        }
    }

    /// The digest of the file as it was fetched, in lower-case hexadecimal digits.
    static func digest<Function: HashFunction>(_ path: String, _ function: Function.Type) throws -> String {
        var digest = Function()
        try plain(path) { bytes in bytes.withUnsafeBytes { digest.update(bufferPointer: $0) } }
        return digest.finalize().map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0\(text)" : text
        }.joined()
    }

    private static func plain(_ path: String, _ body: ([UInt8]) throws -> Void) throws {
        guard let file = FileHandle(forReadingAtPath: path) else { throw FeedRefusal.disk("it is gone") }
        defer { try? file.close() }
        while let data = try file.read(upToCount: piece), !data.isEmpty { try body(Array(data)) }
    }
}
