import Foundation
import SQLAccess

#if canImport(Glibc)
    import Glibc
#endif

/// The open file of a journal on this machine. Each write is on disk when the call returns.
final class JournalFile: OpenJournal {
    private let path: String
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

    func append(_ bytes: [UInt8], at end: Int) throws(FileSync.SyncFailure) {
        do throws(FileSync.SyncFailure) {
            try FileSync.write(bytes, at: end, of: descriptor, path)
            try synchronise()
        } catch {
            try? cut(to: end)
            throw error
        }
    }

    func cut(to length: Int) throws(FileSync.SyncFailure) {
        guard ftruncate(descriptor, off_t(length)) == 0 else { throw FileSync.SyncFailure(path: path, code: errno) }
        try synchronise()
    }

    private func synchronise() throws(FileSync.SyncFailure) {
        guard fsync(descriptor) == 0 else { throw FileSync.SyncFailure(path: path, code: errno) }
    }
}
