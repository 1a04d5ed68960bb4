import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// A lock on a file beside the database.
///
/// The system releases the lock when the process ends, also if it is killed (flock(2)).
final class FileImportLock: Sendable {
    private let descriptor: Mutex<CInt>

    /// - Throws: ``ImportError/anotherImport`` if another import is running,
    ///   ``ImportError/cannotLock(path:reason:)`` if the lock file cannot be opened.
    init(database path: String) throws(ImportError) {
        let file = path + ".import"
        let opened = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard opened >= 0 else { throw .cannotLock(path: file, reason: String(cString: strerror(errno))) }
        descriptor = Mutex(opened)
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else { throw .anotherImport }
    }

    func release() {
        descriptor.withLock { descriptor in
            guard descriptor >= 0 else { return }
            // Unlock explicitly: after close alone, a forked child process that has not yet executed its program
            // would still hold the lock.
            _ = flock(descriptor, LOCK_UN)
            close(descriptor)
            descriptor = -1
        }
    }

    deinit { release() }
}
