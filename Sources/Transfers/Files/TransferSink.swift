import Foundation
import Primitives

/// The file that a transfer writes to, and the reason why the transfer must end.
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

    /// Returns a Boolean value that indicates whether the transfer may continue.
    func shouldContinue() -> Bool {
        if failure == nil, isCancelled() { failure = .cancelled }
        return failure == nil
    }

    /// Writes a piece. Returns false when the transfer must end.
    func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard shouldContinue() else { return false }
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
        // Some file systems report a lack of space only here.
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

/// The file of a `file` address. It must be a regular file, and must not change while it is read.
struct LocalSource {
    private let path: String
    private let before: FileVersion

    /// Returns nil for the other schemes.
    init?(_ request: TransferRequest) throws(TransferError) {
        guard let path = request.path else { return nil }
        self.path = path
        guard let version = Self.version(path) else { throw .unreadableFile }
        before = version
    }

    func requireUnchanged(size: Int) throws(TransferError) {
        guard Self.version(path) == before, before.size == size else { throw .changed }
    }

    private static func version(_ path: String) -> FileVersion? {
        FileVersion(ofFileAt: path).flatMap { $0.kind == .regular ? $0 : nil }
    }
}
