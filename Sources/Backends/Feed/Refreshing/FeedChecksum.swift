import Crypto
import Foundation
import Transfers

/// A comparison of a fetched file with the checksum that its sender provides.
struct FeedChecksum {
    private let checksum: FeedSource.Checksum?
    private let transfer: FileTransfer

    init(_ checksum: FeedSource.Checksum?, _ transfer: FileTransfer) {
        self.checksum = checksum
        self.transfer = transfer
    }

    /// Verifies the checksum of a file.
    ///
    /// - Throws: ``FeedRejection/checksum(_:)``.
    func require(_ path: String, _ isCancelled: @escaping () -> Bool) throws {
        guard let checksum else { return }
        let part = "\(path).sum"
        defer { unlink(part) }
        do {
            _ = try transfer.fetch(checksum.request, to: part, isCancelled: isCancelled)
        } catch TransferError.cancelled {
            throw FeedRejection.cancelled
        } catch {
            throw FeedRejection.checksum("it cannot be fetched: \(error)")
        }
        let text = FileManager.default.contents(atPath: part) ?? Data()
        guard let wanted = Self.digest(in: text, checksum.algorithm) else {
            throw FeedRejection.checksum("its file has no \(checksum.algorithm.rawValue)")
        }
        let found =
            switch checksum.algorithm {
            case .sha256: try FeedFile.digest(path, SHA256.self)
            case .sha512: try FeedFile.digest(path, SHA512.self)
            case .sha1: try FeedFile.digest(path, Insecure.SHA1.self)
            case .md5: try FeedFile.digest(path, Insecure.MD5.self)
            }
        guard wanted == found else { throw FeedRejection.checksum("it does not match the feed") }
    }

    /// Returns the first word of the checksum file, in the format of sha256sum(1).
    static func digest(in data: Data, _ algorithm: FeedSource.Algorithm) -> String? {
        let length =
            switch algorithm {
            case .sha256: 64
            case .sha512: 128
            case .sha1: 40
            case .md5: 32
            }
        let text = String(decoding: data.prefix(4096), as: UTF8.self)
        guard let word = text.split(whereSeparator: \.isWhitespace).first?.lowercased(), word.utf8.count == length,
            word.utf8.allSatisfy({
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
            })
        else { return nil }
        return word
    }
}
