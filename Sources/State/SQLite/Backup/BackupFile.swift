import Foundation
import SQLAccess

/// A new backup that only its owner may read, under a temporary name until it is complete.
struct BackupFile {
    private let path: String
    /// The path of the file until it is complete.
    let part: String

    /// Creates an empty file.
    ///
    /// - Throws: ``StateBackupError/fileExists(path:)`` or ``StateBackupError/unwritable(path:reason:)``.
    init(_ path: String) throws {
        self.path = path
        part = "\(path).\(UUID().uuidString).part"
        guard access(path, F_OK) != 0 else { throw StateBackupError.fileExists(path: path) }
        PrivateFile.createIfMissing(part)
        guard access(part, W_OK) == 0 else { throw Self.unwritable(path) }
    }

    /// Verifies the file, and gives it its name when it is on disk.
    ///
    /// - Throws: ``StateBackupError`` or `NewerSchema`.
    func complete() throws -> StateBackup {
        let backup = try StateBackup.verify(part)
        try FileSync.synchroniseFile(part)
        // Unlike a rename, a link never replaces another file.
        guard link(part, path) == 0 else {
            throw errno == EEXIST ? StateBackupError.fileExists(path: path) : Self.unwritable(path)
        }
        try FileSync.synchronise(of: path)
        return backup
    }

    /// Removes the temporary name.
    func close() { for suffix in ["", "-journal"] { unlink(part + suffix) } }

    private static func unwritable(_ path: String) -> StateBackupError {
        .unwritable(path: path, reason: String(cString: strerror(errno)))
    }
}
