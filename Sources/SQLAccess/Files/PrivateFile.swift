import Foundation

/// Functions for files with personal data or the state of readers. Only the owner may read such files.
package enum PrivateFile {
    /// Creates an empty file that only its owner may read, if it does not exist. SQLite gives its side files the
    /// same mode.
    ///
    /// An existing file is not opened, because opening and closing it would drop the locks that this process may
    /// hold on it.
    package static func createIfMissing(_ path: String) {
        let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Replaces a file as a whole: after a power cut, it has either its former or its new content.
    ///
    /// Only one process may replace a file at a time. If it is killed, the next replacement overwrites the part that it
    /// left.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - write: Writes the content to an open file.
    package static func replace(
        _ path: String, _ write: (CInt) throws(FileSync.SyncFailure) -> Void
    ) throws(FileSync.SyncFailure) {
        let part = path + ".part"
        let file = open(part, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw FileSync.SyncFailure(path: path, code: errno) }
        do throws(FileSync.SyncFailure) {
            defer { close(file) }
            try write(file)
            guard fsync(file) == 0 else { throw FileSync.SyncFailure(path: path, code: errno) }
        } catch {
            unlink(part)
            throw error
        }
        guard rename(part, path) == 0 else {
            let code = errno
            unlink(part)
            throw FileSync.SyncFailure(path: path, code: code)
        }
        try FileSync.synchronise(of: path)
    }
}
