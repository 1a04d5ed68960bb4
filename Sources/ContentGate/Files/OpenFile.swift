import CResidency
import NIOCore
import NIOPosix
import Primitives

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A regular file that is open for reading until its last reference is released; the only type that calls the file
/// system.
///
/// Each path component is opened separately and no component may be a symbolic link, so that the file belongs to
/// the edition in the path. The root itself belongs to the publisher and may be a link.
///
/// Source: Pitfall 2, “A path read in two ways”.
final class OpenFile: Sendable {
    /// The version of the file when it was opened.
    let version: FileVersion
    private let descriptor: CInt
    /// The owner of the descriptor. NIO requires a handle for each region.
    private let handle: NIOFileHandle
    /// The place among the open files. It is released with the file.
    private let permit: OpenFilePermit?

    private init(descriptor: CInt, version: FileVersion, permit: OpenFilePermit?) {
        self.descriptor = descriptor
        self.version = version
        self.permit = permit
        handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: descriptor)
    }

    /// Closes the file on a thread pool, because the last reference may be released on an event loop. Closing may
    /// wait for another machine, or for the disk if the file has been deleted.
    deinit {
        guard handle.isOpen else { return }
        NIOThreadPool.singleton.submit { [handle, permit] _ in
            // This fails only while a region is being sent, and the sender of a region holds the file.
            try? handle.close()
            withExtendedLifetime(permit) {}
        }
    }

    /// Closes the file immediately. Use it when the file is no longer needed, on threads that may block.
    func closeImmediately() { try? handle.close() }

    /// - Parameter permit: The place among the open files, or `nil` if they are not counted.
    static func open(
        _ segments: [String], below root: String, at permit: OpenFilePermit? = nil
    ) throws(OpenFileError) -> OpenFile {
        guard let name = segments.last else { throw .notFound }
        var directory = try descriptor(of: root, in: AT_FDCWD, directoryFlags)
        defer { close(directory) }
        for segment in segments.dropLast() {
            let next = try descriptor(of: segment, in: directory, directoryFlags | O_NOFOLLOW)
            close(directory)
            directory = next
        }
        // Without O_NONBLOCK, opening a named pipe would wait for a writer.
        let file = try descriptor(of: name, in: directory, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        guard let version = version(of: file) else {
            close(file)
            throw .notFound
        }
        return OpenFile(descriptor: file, version: version, permit: permit)
    }

    /// Returns whether a directory exists whose path contains no symbolic link below the root.
    static func isDirectory(_ segments: [String], below root: String) -> Bool {
        guard var directory = try? descriptor(of: root, in: AT_FDCWD, directoryFlags) else { return false }
        defer { close(directory) }
        for segment in segments {
            guard let next = try? descriptor(of: segment, in: directory, directoryFlags | O_NOFOLLOW) else {
                return false
            }
            close(directory)
            directory = next
        }
        return true
    }

    /// Opens a file and reads it as a whole, on a thread that must not wait for a disk. The root must be one of
    /// ``LocalRoots``.
    ///
    /// - Parameter limit: The maximum size that is read, in bytes.
    /// - Returns: The file, with its bytes if it is not empty and not larger than the limit; `nil` if either step would
    ///   wait, and if anything is unusual about the file.
    static func openCached(
        _ segments: [String], below root: String, at permit: OpenFilePermit?, readingUpTo limit: Int64
    ) -> (file: OpenFile, bytes: ByteBuffer?)? {
        let directory = cresidency_open(AT_FDCWD, root, directoryFlags | O_CLOEXEC, false)
        guard directory >= 0 else { return nil }
        defer { close(directory) }
        let path = segments.joined(separator: "/")
        let descriptor = cresidency_open(directory, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, true)
        guard descriptor >= 0 else { return nil }
        guard let version = version(of: descriptor) else {
            close(descriptor)
            return nil
        }
        let file = OpenFile(descriptor: descriptor, version: version, permit: permit)
        guard (1...limit).contains(version.size) else { return (file, nil) }
        let size = Int(version.size)
        var bytes = ByteBufferAllocator().buffer(capacity: size)
        let count = bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: size) { memory in
            memory.baseAddress.map { max(0, Int(cresidency_read(descriptor, $0, size, 0))) } ?? 0
        }
        let isWhole = count == size && file.isUnchanged
        file.closeImmediately()
        return isWhole ? (file, bytes) : nil
    }

    /// Reads up to `count` bytes.
    ///
    /// - Throws: ``OpenFileError/changed`` if the file has changed since it was opened, so that no response mixes
    ///   two contents.
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

    /// A Boolean value that indicates whether the file is unchanged since it was opened.
    var isUnchanged: Bool { Self.version(of: descriptor) == version }

    /// Returns a region for the system to send. Hold the file until the region is sent.
    func region(_ part: Range<Int64>) -> FileRegion {
        FileRegion(fileHandle: handle, readerIndex: Int(part.lowerBound), endIndex: Int(part.upperBound))
    }

    /// Returns whether the bytes are already in the system's page cache, as far as samples show.
    ///
    /// The samples are the first byte, the last byte and one byte of each quarter, or of each megabyte of a short
    /// part. Samples suffice, because files are read and evicted from one end to the other. The positions are
    /// random, so that no client can predict them or load only those bytes. The check does not wait for a disk, and
    /// returns `false` if the system cannot tell.
    func isResident(_ part: Range<Int64>) -> Bool {
        let stretch = max(Int64(part.count) / 4, 1 << 20)
        // The position of the sample within each stretch, in 1/1,024 of it.
        let probeOffset = Int64.random(in: 0..<1_024)
        return isResident(at: part.lowerBound) && isResident(at: part.upperBound - 1)
            && stride(from: part.lowerBound + stretch * probeOffset / 1_024, to: part.upperBound, by: Int(stretch))
                .allSatisfy(isResident(at:))
    }

    private func isResident(at offset: Int64) -> Bool { cresidency_holds(descriptor, offset) }

    /// Loads the bytes into the system's page cache, so that the thread that sends them does not wait for the disk.
    ///
    /// - Parameter part: The range to load. Not empty, and at most the amount that systems read at a time, a few
    ///   megabytes.
    /// - Throws: ``OpenFileError/changed`` if the file has changed since it was opened.
    func fetch(_ part: Range<Int64>) throws(OpenFileError) {
        #if canImport(Darwin)
            var advice = radvisory(ra_offset: part.lowerBound, ra_count: CInt(clamping: part.count))
            _ = fcntl(descriptor, F_RDADVISE, &advice)
        #else
            posix_fadvise(descriptor, off_t(part.lowerBound), off_t(part.count), POSIX_FADV_WILLNEED)
        #endif
        // The call above only starts the load. Pages arrive in roughly this order, so reading the last byte waits
        // for the load.
        var byte: UInt8 = 0
        while pread(descriptor, &byte, 1, off_t(part.upperBound - 1)) < 0 {
            if errno != EINTR { throw .unavailable }
        }
        guard isUnchanged else { throw .changed }
    }

    /// The flags for a directory that leads to a file. It is opened for this use only, which needs the permission to
    /// search it and not to list it.
    private static let directoryFlags: CInt = {
        #if canImport(Darwin)
            O_RDONLY | O_DIRECTORY
        #else
            // O_PATH, which Swift does not import.
            0o10000000 | O_DIRECTORY
        #endif
    }()

    private static func descriptor(of name: String, in directory: CInt, _ flags: CInt) throws(OpenFileError) -> CInt {
        var result: CInt
        repeat {
            result = openat(directory, name, flags | O_CLOEXEC)
        } while result < 0 && errno == EINTR
        if result >= 0 { return result }
        switch errno {
        // No such name, not a directory, a symbolic link, unreadable, too long, a socket or a device without a
        // driver.
        case ENOENT, ENOTDIR, ELOOP, EACCES, EPERM, ENAMETOOLONG, ENXIO, ENODEV: throw .notFound
        default: throw .unavailable
        }
    }

    /// Returns the version of a regular file, or `nil` for any other kind of file.
    private static func version(of descriptor: CInt) -> FileVersion? {
        FileVersion(of: descriptor).flatMap { $0.kind == .regular ? $0 : nil }
    }
}

enum OpenFileError: Error, Equatable {
    /// No such regular file exists.
    case notFound
    /// The file system could not be queried.
    case unavailable
    /// The file was written to after it was opened.
    case changed
}

extension FileVersion {
    /// The validators of HTTP. They consist of the size and the time of the last change, so that copies of a file that keep its
    /// time have the same ones on all nodes, and a download can go on at another node.
    var validators: Validators {
        let parts = [size, seconds, nanoseconds].map { UInt64(bitPattern: $0) }
        return Validators(
            tag: "\"\(parts.map { String($0, radix: 16) }.joined(separator: "-"))\"",
            modified: HTTPDate(seconds: seconds))
    }
}
