import Crypto
import Foundation
import Primitives

@testable import Backends
@testable import Transfers

extension FuzzTarget {
    /// A fetched file, compressed or not, its checksum, and its header lines.
    static let feedFile = FuzzTarget(
        "feed-file", upTo: 1024, of: "FeedFile", "GzipFile", "FeedChecksum", "TransferSink", "CurlTransfer"
    ) { bytes in
        checkPlain(bytes)
        checkPacked(bytes)
        checkChecksum(bytes)
        let headers = HeaderReader()
        for line in bytes.split(separator: 0x0A) { take(Array(line), headers) }
        if let tag = headers.entityTag {
            promise(
                !tag.isEmpty && tag.utf8.count <= 512 && tag.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F },
                "an entity tag contains a line break")
        }
        take(Array("HTTP/1.1 200 OK".utf8), headers)
        promise(headers.entityTag == nil, "a response has the entity tag of another one")
    }

    private static func take(_ line: [UInt8], _ headers: HeaderReader) {
        let whole = line + [0x0D, 0x0A]
        whole.withUnsafeBytes { headers.take($0) }
    }

    private static func checkPlain(_ bytes: [UInt8]) {
        promise(download(pieces(bytes), limit: bytes.count) == nil, "a file within the size limit was not stored")
        let whole = contents(isCompressed: false, limit: bytes.count)
        promise(whole.bytes == bytes && whole.rejection == nil, "the stored file differs from the received one")
        let digest = ready { try FeedFile.digest(path, SHA256.self) }
        promise(digest == Hexadecimal.encode(Array(SHA256.hash(data: bytes))), "the digest does not match the file")
        let line = Data("\(digest.uppercased())  feed.csv\n".utf8)
        promise(FeedChecksum.digest(in: line, .sha256) == digest, "a checksum was not found")
        guard !bytes.isEmpty else { return }
        let less = contents(isCompressed: false, limit: bytes.count - 1)
        promise(less.rejection == .tooLarge(limit: bytes.count - 1), "a file over the size limit was read")
        promise(less.bytes.count < bytes.count, "more of a file was read than the limit")
        promise(
            download(pieces(bytes), limit: bytes.count - 1) == .tooLarge(limit: bytes.count - 1),
            "a file over the size limit was stored")
        promise(!FileManager.default.fileExists(atPath: path), "a rejected file was not deleted")
    }

    private static func checkPacked(_ bytes: [UInt8]) {
        let some = unpacked(bytes, limit: 4096)
        let known: [FeedRejection?] = [nil, .compression, .tooLarge(limit: 4096)]
        promise(some.bytes.count <= 4096 && known.contains(some.rejection), "more was unpacked than the limit")
        if some.rejection == nil, !some.bytes.isEmpty {
            promise(bytes.starts(with: [0x1F, 0x8B]), "a file that is not compressed was accepted")
            let limit = some.bytes.count - 1
            promise(
                unpacked(bytes, limit: limit).rejection == .tooLarge(limit: limit), "more was unpacked than the limit")
        }
        let file = packed(bytes)
        let whole = unpacked(file, limit: bytes.count)
        promise(whole.bytes == bytes && whole.rejection == nil, "an unpacked file differs from the original")
        let half = bytes.count / 2
        let members = unpacked(packed(Array(bytes[..<half])) + packed(Array(bytes[half...])), limit: bytes.count)
        promise(
            members.bytes == bytes && members.rejection == nil,
            "an unpacked file of two members differs from the original")
        let cut = Int(bytes.last ?? 0) * 5 % file.count
        promise(unpacked(Array(file[..<cut]), limit: 4096).rejection == .compression, "a truncated file was accepted")
        guard !bytes.isEmpty else { return }
        var damaged = file
        // After the headers of the file and of its only block.
        damaged[15 + Int(bytes[0]) % bytes.count] ^= 1
        promise(unpacked(damaged, limit: 4096).rejection == .compression, "a damaged file was accepted")
    }

    private static func checkChecksum(_ bytes: [UInt8]) {
        let lengths: [FeedSource.Algorithm: Int] = [.sha256: 64, .sha512: 128, .sha1: 40, .md5: 32]
        let words = bytes.prefix(4096).split { (0x09...0x0D).contains($0) || $0 == 0x20 }
        let word = words.first.map { String(decoding: $0, as: UTF8.self).lowercased() } ?? ""
        let isDigest = word.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
        for algorithm in FeedSource.Algorithm.allCases {
            let found = FeedChecksum.digest(in: Data(bytes), algorithm)
            if let found {
                promise(
                    found.utf8.count == lengths[algorithm] && Hexadecimal.decode(found) != nil,
                    "a checksum has the wrong format")
            }
            // Other text has more kinds of spaces.
            guard bytes.allSatisfy({ $0 < 0x80 }) else { continue }
            let expected = isDigest && word.utf8.count == lengths[algorithm] ? word : nil
            promise(found == expected, "a checksum was changed")
        }
    }

    /// The path of the file. A process runs one instance of the target at a time.
    private static let path = FileManager.default.temporaryDirectory
        .appending(path: "gatefold-fuzz-\(ProcessInfo.processInfo.processIdentifier)").path

    /// Writes the chunks to the file like a transfer. Returns the error that stopped it, or nil.
    private static func download(_ pieces: [[UInt8]], limit: Int) -> TransferError? {
        unlink(path)
        let sink = ready { try TransferSink(path: path, limit: limit, isCancelled: { false }) }
        for piece in pieces {
            guard !piece.withUnsafeBytes({ sink.take($0) }) else { continue }
            sink.discard()
            return sink.failure
        }
        ready { try sink.finish() }
        return nil
    }

    /// Returns the content of the file and the reason for a rejection.
    private static func contents(isCompressed: Bool, limit: Int) -> (bytes: [UInt8], rejection: FeedRejection?) {
        var read: [UInt8] = []
        do {
            try FeedFile.read(path, isCompressed: isCompressed, limit: limit) { read += $0 }
            return (read, nil)
        } catch let rejection as FeedRejection {
            return (read, rejection)
        } catch {
            fatalError("A target could not be prepared: \(error)")
        }
    }

    private static func unpacked(_ file: [UInt8], limit: Int) -> (bytes: [UInt8], rejection: FeedRejection?) {
        promise(download([file], limit: file.count) == nil, "a file within the size limit was not stored")
        return contents(isCompressed: true, limit: limit)
    }

    /// Returns the bytes in gzip format as one stored block (RFC 1952; RFC 1951 section 3.2.4).
    private static func packed(_ bytes: [UInt8]) -> [UInt8] {
        let length = UInt32(bytes.count)
        let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
        let block: [UInt8] = [1] + little(length, 2) + little(~length, 2)
        return header + block + bytes + little(check(bytes), 4) + little(length, 4)
    }

    private static func little(_ number: UInt32, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt32(8 * $0)) }
    }

    /// Returns the CRC of the bytes (RFC 1952 section 8).
    private static func check(_ bytes: [UInt8]) -> UInt32 {
        var rest = UInt32.max
        for byte in bytes {
            rest ^= UInt32(byte)
            for _ in 0..<8 { rest = rest & 1 == 1 ? (rest >> 1) ^ 0xEDB8_8320 : rest >> 1 }
        }
        return ~rest
    }
}
