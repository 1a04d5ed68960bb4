import Foundation

/// Who has a database open.
package enum DatabaseUse {
    /// The first byte of those that SQLite locks, and their number (its file format, "PENDING_BYTE").
    private static let firstLockByte = 0x4000_0000
    private static let lockByteCount = 512

    /// The number of another process that has the database open in WAL mode, or is in a transaction of another mode; nil where
    /// there is none.
    package static func process(of path: String) -> Int32? {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        // This process must have no connection to it: to close the descriptor drops the locks of all of them.
        defer { close(descriptor) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(firstLockByte)
        lock.l_len = off_t(lockByteCount)
        guard fcntl(descriptor, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK) else { return nil }
        return lock.l_pid
    }
}
