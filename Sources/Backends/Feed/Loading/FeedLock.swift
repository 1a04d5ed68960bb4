import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// A lock that elects the keeper of a feed among all stores that have it open concurrently: those of an old and a
/// new configuration during a reload, or of a server and a drill. flock(2) grants the lock to one of them, and
/// releases it even when its process dies.
final class FeedLock: Sendable {
    private let descriptor: Int32
    private let held = Mutex(false)

    /// Opens the lock file.
    ///
    /// - Throws: ``FeedRejection/disk(_:)`` when the file cannot be created.
    init(path: String) throws(FeedRejection) {
        // The file is empty, so every user may open it. Otherwise a file created by root would lock out the
        // server's user.
        let mode: mode_t = 0o644
        var opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode)
        if opened >= 0 {
            _ = fchmod(opened, mode)
        } else if errno == EACCES {
            opened = open(path, O_RDONLY | O_CLOEXEC)
        }
        guard opened >= 0 else { throw .disk("its lock cannot be created: \(String(cString: strerror(errno)))") }
        descriptor = opened
    }

    deinit {
        // Closing alone would leave the lock to a child process that has not yet executed its program.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    var isHeld: Bool { held.withLock(\.self) }

    /// Acquires the lock if it is free, and holds it until deallocation.
    ///
    /// - Returns: whether the lock is held now.
    func take() -> Bool {
        held.withLock { held in
            if !held { held = flock(descriptor, LOCK_EX | LOCK_NB) == 0 }
            return held
        }
    }
}
