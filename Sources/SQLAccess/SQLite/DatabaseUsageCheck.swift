import Foundation

/// Detection of other processes that have a database open.
package enum DatabaseUsageCheck {
    /// The first byte that SQLite locks, and the number of such bytes (its file format, "PENDING_BYTE").
    private static let firstLockByte = 0x4000_0000
    private static let lockByteCount = 512

    /// The first byte that SQLite locks in the shared memory of WAL mode, and the number of such bytes
    /// ("WALINDEX_LOCK_OFFSET").
    private static let firstMemoryLockByte = 120
    private static let memoryLockByteCount = 9

    /// Returns the id of another process that has the database open in WAL mode or is in a transaction of another
    /// mode, or nil if there is none. A database whose file was deleted is found by its shared memory file.
    package static func process(of path: String) -> Int32? {
        process(locking: path, from: firstLockByte, lockByteCount)
            ?? process(locking: path + "-shm", from: firstMemoryLockByte, memoryLockByteCount)
    }

    private static func process(locking path: String, from first: Int, _ count: Int) -> Int32? {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        // This process must have no connection to the file, because closing the descriptor drops the locks of all
        // its connections.
        defer { close(descriptor) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(first)
        lock.l_len = off_t(count)
        guard fcntl(descriptor, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK) else { return nil }
        return lock.l_pid
    }
}
