import Foundation

/// Folders whose lists of names are on the disk.
package enum DurableFolder {
    /// Brings the list of names of a file's folder to disk: without it a rename may not outlive a power cut.
    ///
    /// - Throws: ``SyncFailure``.
    package static func synchronise(of path: String) throws(SyncFailure) {
        try synchroniseFile(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }

    /// Brings what a file holds to disk.
    ///
    /// - Throws: ``SyncFailure``.
    package static func synchroniseFile(_ path: String) throws(SyncFailure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SyncFailure(path: path, code: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw SyncFailure(path: path, code: errno) }
    }

    /// A folder, or a file in it, could not be brought to disk.
    package struct SyncFailure: Error, Equatable, CustomStringConvertible {
        package let path: String
        package let code: CInt

        package init(path: String, code: CInt) {
            self.path = path
            self.code = code
        }

        package var description: String { "\(path) can not be brought to disk: \(String(cString: strerror(code)))" }
    }
}
