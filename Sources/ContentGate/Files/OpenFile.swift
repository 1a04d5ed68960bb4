import CResidency
import NIOCore
import NIOPosix

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
    /// Owns the descriptor; NIO wants one for every region.
    private let handle: NIOFileHandle
    /// Is given back with the file.
    private let place: FilePlace?
    /// Where in each quarter of a part it is looked whether it is in memory, in 1,024ths of the quarter.
    private let look = Int64.random(in: 0..<1_024)

    private init(descriptor: CInt, version: Version, place: FilePlace?) {
        self.descriptor = descriptor
        self.version = version
        self.place = place
        handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: descriptor)
    }

    /// Closing may wait for another machine, or for the disk when it was the last of a file that is gone, and the last reference may go
    /// on an event loop.
    deinit {
        guard handle.isOpen else { return }
        NIOThreadPool.singleton.submit { [handle, place] _ in
            // Fails only while a region is being sent, and whoever sends one holds the file.
            try? handle.close()
            withExtendedLifetime(place) {}
        }
    }

    /// Closes it at once, where nothing is wanted of it any more; for threads that may wait.
    func closeAtOnce() { try? handle.close() }

    /// - Parameter place: among the files that may be open at a time; nil where they are not counted.
    static func open(
        _ segments: [String], below root: String, at place: FilePlace? = nil
    ) throws(OpenFileError) -> OpenFile {
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
        return OpenFile(descriptor: file, version: version, place: place)
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
        guard length > 0 else { throw isUnchanged ? .unavailable : .changed }
        guard isUnchanged else { throw .changed }
        return buffer
    }

    /// Whether the file still is what it was when it was opened.
    var isUnchanged: Bool { Self.version(of: descriptor) == version }

    /// Bytes for the system to send. Keep the file until they are sent.
    func region(_ part: Range<Int64>) -> FileRegion {
        FileRegion(fileHandle: handle, readerIndex: Int(part.lowerBound), endIndex: Int(part.upperBound))
    }

    /// Whether the bytes are in the system's memory already, as far as its ends and a look into each quarter, or into each megabyte
    /// of a short part, can tell: files are read, and forgotten, from one end to the other. Where it looks nobody can foresee, or
    /// bring there to mislead. Waits for no disk; false where the system can not say.
    func isInMemory(_ part: Range<Int64>) -> Bool {
        let stretch = max(Int64(part.count) / 4, 1 << 20)
        return isInMemory(at: part.lowerBound) && isInMemory(at: part.upperBound - 1)
            && stride(from: part.lowerBound + stretch * look / 1_024, to: part.upperBound, by: Int(stretch))
                .allSatisfy(isInMemory(at:))
    }

    private func isInMemory(at offset: Int64) -> Bool { cresidency_holds(descriptor, offset) }

    /// Brings the bytes into the system's memory, so that whoever sends them does not wait for the disk.
    ///
    /// - Parameter part: not empty, and no more than systems read at a time, a few megabytes.
    /// - Throws: ``OpenFileError/changed`` when the file is not what it was.
    func fetch(_ part: Range<Int64>) throws(OpenFileError) {
        #if canImport(Darwin)
            var advice = radvisory(ra_offset: part.lowerBound, ra_count: CInt(clamping: part.count))
            _ = fcntl(descriptor, F_RDADVISE, &advice)
        #else
            posix_fadvise(descriptor, off_t(part.lowerBound), off_t(part.count), POSIX_FADV_WILLNEED)
        #endif
        // That began it. Pages arrive in about this order; reading the last waits for it.
        var byte: UInt8 = 0
        while pread(descriptor, &byte, 1, off_t(part.upperBound - 1)) < 0 {
            if errno != EINTR { throw .unavailable }
        }
        guard isUnchanged else { throw .changed }
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
