package import Foundation

/// Functions that synchronise folders and files to disk.
package enum FileSync {
    /// Synchronises the folder that contains a file. Otherwise a rename may not survive a power failure.
    ///
    /// - Throws: ``SyncFailure``.
    package static func synchronise(of path: String) throws(SyncFailure) {
        try synchroniseFile(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }

    /// Synchronises the contents of a file.
    ///
    /// - Throws: ``SyncFailure``.
    package static func synchroniseFile(_ path: String) throws(SyncFailure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SyncFailure(path: path, code: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw SyncFailure(path: path, code: errno) }
    }

    /// Writes bytes at a place of an open file, without synchronising it.
    ///
    /// - Parameter path: The path of the file, for the error.
    package static func write(
        _ bytes: some ContiguousBytes, at offset: Int, of descriptor: CInt, _ path: String
    ) throws(SyncFailure) {
        let code = bytes.withUnsafeBytes { bytes -> CInt in
            var written = 0
            while written < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
                let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + written))
                if count >= 0 { written += count } else if errno != EINTR { return errno }
            }
            return 0
        }
        if code != 0 { throw SyncFailure(path: path, code: code) }
    }

    /// An error that indicates that a folder or a file could not be synchronised to disk.
    package struct SyncFailure: Error, Equatable, CustomStringConvertible {
        package let path: String
        package let code: CInt

        package init(path: String, code: CInt) {
            self.path = path
            self.code = code
        }

        package var description: String { "\(path) cannot be flushed to disk: \(String(cString: strerror(code)))" }
    }
}
