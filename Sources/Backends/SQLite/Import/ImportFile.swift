import Crypto
import Foundation

/// A file that is read from its start, once or twice, and must not change meanwhile.
struct ImportFile {
    private let handle: FileHandle
    private let path: String
    private let before: FileIdentity
    static let chunk = 1 << 18

    private struct FileIdentity: Equatable {
        let size: Int
        let seconds: Int
        let nanoseconds: Int
        let isRegular: Bool
    }

    init(path: String) throws(ImportError) {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw .unreadableFile(path: path, reason: String(cString: strerror(errno)))
        }
        self.handle = handle
        self.path = path
        before = try Self.fileIdentity(handle, path)
    }

    /// The size in bytes; nil for a pipe.
    var size: Int? { before.isRegular ? before.size : nil }

    /// Reads the next bytes; nil at the end of the file.
    func next() throws(ImportError) -> Data? {
        do {
            guard let data = try handle.read(upToCount: Self.chunk), !data.isEmpty else { return nil }
            return data
        } catch {
            throw .unreadableFile(path: path, reason: "\(error)")
        }
    }

    /// Returns the SHA-256 of the whole file and of `more`. Reading restarts at the beginning afterwards.
    func fingerprint(_ more: [String]) throws(ImportError) -> Data {
        var digest = SHA256()
        for part in more { digest.update(data: Data("\(part.utf8.count):\(part)".utf8)) }
        while let data = try next() { digest.update(data: data) }
        do {
            try handle.seek(toOffset: 0)
        } catch {
            throw .unreadableFile(path: path, reason: "a resumable import needs a file that can be read twice")
        }
        return Data(digest.finalize())
    }

    func requireUnchanged() throws(ImportError) {
        if before.isRegular, try Self.fileIdentity(handle, path) != before { throw .fileChanged }
    }

    func close() { try? handle.close() }

    private static func fileIdentity(_ handle: FileHandle, _ path: String) throws(ImportError) -> FileIdentity {
        var status = stat()
        guard fstat(handle.fileDescriptor, &status) == 0 else {
            throw .unreadableFile(path: path, reason: String(cString: strerror(errno)))
        }
        if status.st_mode & S_IFMT == S_IFDIR { throw .unreadableFile(path: path, reason: "it is a folder") }
        #if canImport(Darwin)
            let changed = status.st_mtimespec
        #else
            let changed = status.st_mtim
        #endif
        return FileIdentity(
            size: Int(status.st_size), seconds: Int(changed.tv_sec), nanoseconds: Int(changed.tv_nsec),
            isRegular: status.st_mode & S_IFMT == S_IFREG)
    }
}
