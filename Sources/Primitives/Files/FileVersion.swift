#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The identity of a file's contents. It changes when the file is replaced or written.
package struct FileVersion: Sendable, Equatable {
    package enum Kind: Sendable {
        case regular
        case folder
        /// A pipe, a device or a socket.
        case other
    }

    package let kind: Kind
    package let device: UInt64
    package let inode: UInt64
    /// The size in bytes.
    package let size: Int64
    /// The time of the last change: seconds since 1970, and nanoseconds.
    package let seconds: Int64
    package let nanoseconds: Int64

    /// Reads the version of the file at a path. Symbolic links are followed. Returns nil, with the reason in `errno`, if
    /// there is none.
    package init?(ofFileAt path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Reads the version of an open file. Returns nil, with the reason in `errno`, if the descriptor is not open.
    package init?(of descriptor: CInt) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            default: .other
            }
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        #if canImport(Darwin)
            let changed = status.st_mtimespec
        #else
            let changed = status.st_mtim
        #endif
        seconds = Int64(changed.tv_sec)
        nanoseconds = Int64(changed.tv_nsec)
    }
}
