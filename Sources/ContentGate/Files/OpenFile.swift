import NIOCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A regular file, open for reading until the last reference goes; the one place that calls the file system.
///
/// It is opened one path component at a time and no component may be a symbolic link, so that the file belongs to the
/// edition whose name stands in the path (PITFALLS row 2). The root itself is the publisher's and may be a link.
final class OpenFile: Sendable {
    /// What the file was when it was opened.
    struct Version: Equatable, Sendable {
        let inode: UInt64
        let size: Int64
        let seconds: Int64
        let nanoseconds: Int64
    }

    let version: Version
    private let descriptor: CInt

    private init(descriptor: CInt, version: Version) {
        self.descriptor = descriptor
        self.version = version
    }

    deinit { close(descriptor) }

    static func open(_ segments: [String], below root: String) throws(OpenFileError) -> OpenFile {
        guard let name = segments.last else { throw .notFound }
        var directory = try descriptor(of: root, in: AT_FDCWD, O_RDONLY | O_DIRECTORY)
        defer { close(directory) }
        for segment in segments.dropLast() {
            let next = try descriptor(of: segment, in: directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
            close(directory)
            directory = next
        }
        // Without O_NONBLOCK, opening a named pipe would wait for somebody to write to it.
        let file = try descriptor(of: name, in: directory, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        guard let version = version(of: file) else {
            close(file)
            throw .notFound
        }
        return OpenFile(descriptor: file, version: version)
    }

    /// Reads up to `count` bytes.
    ///
    /// - Throws: ``OpenFileError/changed`` when the file is not what it was, so that no answer mixes two contents.
    func read(at offset: Int64, upTo count: Int) throws(OpenFileError) -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: count)
        let length = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { memory in
            var length: Int
            repeat {
                length = pread(descriptor, memory.baseAddress, count, off_t(offset))
            } while length < 0 && errno == EINTR
            return max(0, length)
        }
        guard length > 0 else { throw Self.version(of: descriptor) == version ? .unavailable : .changed }
        guard Self.version(of: descriptor) == version else { throw .changed }
        return buffer
    }

    private static func descriptor(of name: String, in directory: CInt, _ flags: CInt) throws(OpenFileError) -> CInt {
        var result: CInt
        repeat {
            result = openat(directory, name, flags | O_CLOEXEC)
        } while result < 0 && errno == EINTR
        if result >= 0 { return result }
        switch errno {
        // No such name, not a directory, a symbolic link, unreadable, too long, a socket or a device without a driver.
        case ENOENT, ENOTDIR, ELOOP, EACCES, EPERM, ENAMETOOLONG, ENXIO, ENODEV: throw .notFound
        default: throw .unavailable
        }
    }

    /// Returns nil for anything but a regular file.
    private static func version(of descriptor: CInt) -> Version? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        #if canImport(Darwin)
            let modified = status.st_mtimespec
        #else
            let modified = status.st_mtim
        #endif
        return Version(
            inode: UInt64(status.st_ino), size: Int64(status.st_size), seconds: Int64(modified.tv_sec),
            nanoseconds: Int64(modified.tv_nsec))
    }
}

enum OpenFileError: Error, Equatable {
    /// There is no such regular file.
    case notFound
    /// The file system could not be asked.
    case unavailable
    /// The file was written to after it was opened.
    case changed
}

extension OpenFile.Version {
    var validators: Validators {
        let parts = [inode, UInt64(bitPattern: size), UInt64(bitPattern: seconds), UInt64(bitPattern: nanoseconds)]
        return Validators(
            tag: "\"\(parts.map { String($0, radix: 16) }.joined(separator: "-"))\"",
            modified: HTTPDate(seconds: seconds))
    }
}
