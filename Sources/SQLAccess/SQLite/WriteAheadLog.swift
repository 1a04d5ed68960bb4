import Foundation
import Synchronization

/// A database's WAL, as the file shows it.
///
/// SQLite writes on behind the last frame that it knows of, also where the file was cut in front of that: then there is a hole, and the
/// next start reads no further. After a checkpoint it may begin the file anew, under a header with other salts. Under one header the file
/// never gets shorter, except down to nothing, by a checkpoint that empties it. Where it was nothing and was not emptied by a checkpoint,
/// what is written next is behind a hole in place of the header.
///
/// SQLite has no lock on this file, so that closing a descriptor of it takes none away.
final class WriteAheadLog: Sendable {
    private struct Sight {
        var header: [UInt8] = []
        var size: Int64 = 0
    }

    let path: String
    private let keptBytes: Int64?
    private let last = Mutex(Sight())

    /// - Parameter keptBytes: `journal_size_limit`, down to which SQLite shortens a file that was begun anew.
    init(path: String, keptBytes: Int64?) {
        self.path = path
        self.keptBytes = keptBytes
    }

    /// Looks at the file, and remembers it. One that is not there is not cut.
    func isWhole() -> Bool {
        // One after the other: an older sight must not be taken for a shorter file.
        last.withLock { last in
            guard let sight = look() else { return true }
            if sight.size == 0 { return true }
            guard sight.header.count == Self.headerSize, Self.beginnings.contains(Array(sight.header.prefix(4))) else {
                return false
            }
            if sight.header == last.header, sight.size < min(last.size, keptBytes ?? .max) { return false }
            last = sight
            return true
        }
    }

    /// Nil where there is none, or its header was being written.
    private func look() -> Sight? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let header = Self.header(descriptor)
        var status = stat()
        guard fstat(descriptor, &status) == 0, Self.header(descriptor) == header else { return nil }
        return Sight(header: header, size: Int64(status.st_size))
    }

    private static func header(_ descriptor: CInt) -> [UInt8] {
        Array(unsafeUninitializedCapacity: headerSize) { buffer, count in
            count = max(0, pread(descriptor, buffer.baseAddress, headerSize, 0))
        }
    }

    private static let headerSize = 32
    /// By the order of the bytes that its checksums are of.
    private static let beginnings: [[UInt8]] = [[0x37, 0x7F, 0x06, 0x82], [0x37, 0x7F, 0x06, 0x83]]
}
