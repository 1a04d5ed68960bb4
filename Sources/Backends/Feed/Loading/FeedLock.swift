import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// Decides who keeps a feed up to date, of all who have it open at once: an old and a new configuration during a reload,
/// a server and a drill. flock(2) gives the lock to one of them, and frees it also when its process dies.
final class FeedLock: Sendable {
    private let descriptor: Int32
    private let held = Mutex(false)

    /// - Throws: ``FeedRefusal/disk(_:)`` when the file can not be made.
    init(path: String) throws(FeedRefusal) {
        // There is nothing in it. Everybody may open it, so that one made by root does not keep the server's user out.
        let mode: mode_t = 0o644
        var opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode)
        if opened >= 0 {
            _ = fchmod(opened, mode)
        } else if errno == EACCES {
            opened = open(path, O_RDONLY | O_CLOEXEC)
        }
        guard opened >= 0 else { throw .disk("its lock can not be made: \(String(cString: strerror(errno)))") }
        descriptor = opened
    }

    deinit {
        // Closing it alone would leave the lock to a child process that has not executed its program yet.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    var isHeld: Bool { held.withLock(\.self) }

    /// Takes the lock where it is free, and keeps it for life.
    ///
    /// - Returns: whether it is held now.
    func take() -> Bool {
        held.withLock { held in
            if !held { held = flock(descriptor, LOCK_EX | LOCK_NB) == 0 }
            return held
        }
    }
}
