import Foundation

/// A stamp that distinguishes a file from a later file at the same path.
struct FeedFileIdentity: Sendable, Equatable {
    private let device: UInt64
    private let inode: UInt64
    private let seconds: Int
    private let nanoseconds: Int

    /// Reads the stamp of a file. Returns nil when the file does not exist.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
            let changed = status.st_mtimespec
        #else
            let changed = status.st_mtim
        #endif
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        seconds = Int(changed.tv_sec)
        nanoseconds = Int(changed.tv_nsec)
    }
}
