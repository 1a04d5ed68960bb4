import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// A lock that permits one import at a time into a database. A second import would delete the staged rows of the
/// first as leftovers.
///
/// flock(2) also releases the lock when its process dies.
final class ImportLock {
    private let descriptor: CInt

    /// - Throws: ``ImportError/anotherImport`` if another import is running,
    ///   ``ImportError/cannotLock(path:reason:)`` if the lock file cannot be opened.
    init(database path: String) throws(ImportError) {
        let file = path + ".import"
        descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotLock(path: file, reason: String(cString: strerror(errno))) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .anotherImport }
    }

    deinit {
        guard descriptor >= 0 else { return }
        // Unlock explicitly: after close alone, a forked child process that has not yet executed its program would
        // still hold the lock.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
