import Foundation

/// The file that a transfer goes into, and why it can not go on.
final class TransferSink {
    private let path: String
    private let limit: Int
    private let isCancelled: () -> Bool
    private var descriptor: Int32
    private(set) var size = 0
    private(set) var failure: TransferError?

    init(path: String, limit: Int, isCancelled: @escaping () -> Bool) throws(TransferError) {
        self.path = path
        self.limit = limit
        self.isCancelled = isCancelled
        descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .cannotWrite(code: errno) }
    }

    /// Whether the transfer may go on.
    func goesOn() -> Bool {
        if failure == nil, isCancelled() { failure = .cancelled }
        return failure == nil
    }

    /// Writes a piece; false when the transfer must end.
    func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard goesOn() else { return false }
        guard bytes.count <= limit - size else {
            failure = .tooLarge(limit: limit)
            return false
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if written < 0, errno == EINTR { continue }
            guard written > 0 else {
                failure = .cannotWrite(code: errno)
                return false
            }
            rest = rest.dropFirst(written)
        }
        size += bytes.count
        return true
    }

    func finish() throws(TransferError) {
        // Some file systems tell only here that there was no room.
        let code = close(descriptor)
        descriptor = -1
        guard code == 0 else { throw .cannotWrite(code: errno) }
    }

    func discard() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
        unlink(path)
    }
}

/// The file that a `file` address means: it must be an ordinary one, and nobody may write to it while it is read.
struct LocalSource {
    private struct Stamp: Equatable {
        let inode: UInt64
        let size: Int
        let seconds: Int
        let nanoseconds: Int
    }

    private let path: String
    private let before: Stamp

    /// Nil for the other schemes.
    init?(_ request: TransferRequest) throws(TransferError) {
        guard let path = request.path else { return nil }
        self.path = path
        guard let stamp = Self.stamp(path) else { throw .unreadableFile }
        before = stamp
    }

    func requireUnchanged(size: Int) throws(TransferError) {
        guard Self.stamp(path) == before, before.size == size else { throw .changed }
    }

    private static func stamp(_ path: String) -> Stamp? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        #if canImport(Darwin)
            let changed = status.st_mtimespec
        #else
            let changed = status.st_mtim
        #endif
        return Stamp(
            inode: UInt64(status.st_ino), size: Int(status.st_size), seconds: Int(changed.tv_sec),
            nanoseconds: Int(changed.tv_nsec))
    }
}
