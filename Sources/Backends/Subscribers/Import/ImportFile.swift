import Crypto
import Foundation
import Primitives

/// A file that is read from its start, once or twice, and must not change meanwhile.
struct ImportFile {
    private let handle: FileHandle
    private let path: String
    private let before: FileVersion
    static let chunk = 1 << 18

    init(path: String) throws(ImportError) {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw .unreadableFile(path: path, reason: String(cString: strerror(errno)))
        }
        self.handle = handle
        self.path = path
        before = try Self.version(handle, path)
    }

    /// The size in bytes; nil for a pipe.
    var size: Int? { before.kind == .regular ? Int(before.size) : nil }

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
        if before.kind == .regular, try Self.version(handle, path) != before { throw .fileChanged }
    }

    func close() { try? handle.close() }

    private static func version(_ handle: FileHandle, _ path: String) throws(ImportError) -> FileVersion {
        guard let version = FileVersion(of: handle.fileDescriptor) else {
            throw .unreadableFile(path: path, reason: String(cString: strerror(errno)))
        }
        if version.kind == .folder { throw .unreadableFile(path: path, reason: "it is a folder") }
        return version
    }
}
