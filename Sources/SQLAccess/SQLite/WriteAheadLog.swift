import Foundation
import Synchronization

/// The state of a database's WAL, as read from the file.
///
/// SQLite appends after the last frame that it knows, even if the file was truncated before that frame. The file
/// then has a hole, and the next start reads no further. After a checkpoint SQLite may restart the file, with a
/// header that has other salts. With an unchanged header the file never gets shorter, except that a checkpoint may
/// truncate it to zero bytes. If anything else truncated it to zero bytes, SQLite writes the next data after a hole
/// in place of the header.
///
/// SQLite has no lock on this file, so that closing a descriptor of the file drops no lock.
final class WriteAheadLog: Sendable {
    private struct WALState {
        var header: [UInt8] = []
        var size: Int64 = 0
    }

    let path: String
    private let retainedBytes: Int64?
    private let last = Mutex(WALState())

    /// Creates a reader of the file.
    ///
    /// - Parameter retainedBytes: The value of `journal_size_limit`, to which SQLite shortens a restarted file.
    init(path: String, retainedBytes: Int64?) {
        self.path = path
        self.retainedBytes = retainedBytes
    }

    /// Checks the file and records its state. A missing file does not count as truncated.
    func isComplete() -> Bool {
        // The lock serialises the checks, so that an older state is not mistaken for a shorter file.
        last.withLock { last in
            guard let walState = inspect() else { return true }
            if walState.size == 0 { return true }
            guard walState.header.count == Self.headerSize, Self.magicNumbers.contains(Array(walState.header.prefix(4)))
            else {
                return false
            }
            if walState.header == last.header, walState.size < min(last.size, retainedBytes ?? .max) { return false }
            last = walState
            return true
        }
    }

    /// Returns the state of the file, or nil if there is no file or its header was being written.
    private func inspect() -> WALState? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let header = Self.header(descriptor)
        var status = stat()
        guard fstat(descriptor, &status) == 0, Self.header(descriptor) == header else { return nil }
        return WALState(header: header, size: Int64(status.st_size))
    }

    private static func header(_ descriptor: CInt) -> [UInt8] {
        Array(unsafeUninitializedCapacity: headerSize) { buffer, count in
            count = max(0, pread(descriptor, buffer.baseAddress, headerSize, 0))
        }
    }

    private static let headerSize = 32
    /// The first bytes of the header, for each byte order of the checksums.
    private static let magicNumbers: [[UInt8]] = [[0x37, 0x7F, 0x06, 0x82], [0x37, 0x7F, 0x06, 0x83]]
}
