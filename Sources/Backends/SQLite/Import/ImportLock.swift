import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// Lets one import at a time into a database: another would take what this one has staged for left-overs.
///
/// flock(2) frees it also when its process dies.
final class ImportLock {
    private let descriptor: CInt

    /// - Throws: ``ImportError/anotherImport`` when there is one, ``ImportError/unlockable(path:reason:)`` when that can not be
    ///   known.
    init(database path: String) throws(ImportError) {
        let file = path + ".import"
        descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unlockable(path: file, reason: String(cString: strerror(errno))) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .anotherImport }
    }

    deinit {
        guard descriptor >= 0 else { return }
        // Closing it alone would leave the lock to a child process that has not executed its program yet.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
