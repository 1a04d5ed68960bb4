import Foundation
import SQLAccess

#if canImport(Glibc)
    import Glibc
#endif

/// The open file of a journal. Each write is on disk when the call returns.
final class JournalFile: Sendable {
    let path: String
    private let descriptor: CInt

    /// Opens a file for writing.
    ///
    /// - Parameter creates: Whether the file is created. An existing file is then emptied, and the name of the file is
    ///   on disk when the initialiser returns.
    init(_ path: String, creates: Bool) throws(FileSync.SyncFailure) {
        descriptor = open(path, (creates ? O_CREAT | O_TRUNC : 0) | O_WRONLY | O_CLOEXEC, 0o600)
        self.path = path
        guard descriptor >= 0 else { throw FileSync.SyncFailure(path: path, code: errno) }
        if creates { try FileSync.synchronise(of: path) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func write(_ bytes: [UInt8], at offset: Int) throws(FileSync.SyncFailure) {
        try FileSync.write(bytes, at: offset, of: descriptor, path)
        try synchronise()
    }

    /// Cuts off everything after a length.
    func cut(to length: Int) throws(FileSync.SyncFailure) {
        guard ftruncate(descriptor, off_t(length)) == 0 else { throw FileSync.SyncFailure(path: path, code: errno) }
        try synchronise()
    }

    static func delete(_ path: String) throws(FileSync.SyncFailure) {
        guard unlink(path) == 0 || errno == ENOENT else { throw FileSync.SyncFailure(path: path, code: errno) }
        try FileSync.synchronise(of: path)
    }

    private func synchronise() throws(FileSync.SyncFailure) {
        guard fsync(descriptor) == 0 else { throw FileSync.SyncFailure(path: path, code: errno) }
    }
}
