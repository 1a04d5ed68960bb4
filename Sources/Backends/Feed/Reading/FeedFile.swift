import Crypto
import Foundation
import Transfers

/// A fetched file, read in chunks.
enum FeedFile {
    private static let piece = 1 << 18

    /// Passes the bytes of the file to `body`, decompressed if the file is compressed.
    ///
    /// - Parameter limit: the maximum number of bytes after decompression.
    /// - Throws: ``FeedRejection``, or an error of `body`.
    static func read(
        _ path: String, isCompressed: Bool, limit: Int, _ body: ([UInt8]) throws -> Void
    ) throws {
        var size = 0
        func count(_ bytes: [UInt8]) throws(FeedRejection) {
            size += bytes.count
            if size > limit { throw .tooLarge(limit: limit) }
        }
        guard isCompressed else {
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
                throw FeedRejection.compression
            }
            if bytes.isEmpty { return }
            try count(bytes)
            try body(bytes)
        }
    }

    /// Returns the digest of the file as fetched, in lower-case hexadecimal digits.
    static func digest<Function: HashFunction>(_ path: String, _ function: Function.Type) throws -> String {
        var digest = Function()
        try plain(path) { bytes in bytes.withUnsafeBytes { digest.update(bufferPointer: $0) } }
        return digest.finalize().map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0\(text)" : text
        }.joined()
    }

    private static func plain(_ path: String, _ body: ([UInt8]) throws -> Void) throws {
        guard let file = FileHandle(forReadingAtPath: path) else { throw FeedRejection.disk("it no longer exists") }
        defer { try? file.close() }
        while let data = try file.read(upToCount: piece), !data.isEmpty { try body(Array(data)) }
    }
}
