import Foundation
import SQLAccess

/// A private copy of a backup, in a folder of its own, that a restore may migrate.
struct BackupCopy {
    private let file: String
    private let folder: String
    let path: String

    /// Copies a backup, including a WAL next to it.
    ///
    /// - Throws: ``StateBackupError/noBackup(path:)`` or ``StateBackupError/unwritable(path:reason:)``.
    init(of file: String, in parent: String) throws {
        guard access(file, R_OK) == 0 else { throw StateBackupError.noBackup(path: file) }
        self.file = file
        folder = "\(parent)/restoring-\(UUID().uuidString)"
        path = folder + "/state.sqlite"
        do {
            for (folder, createsParents) in [(parent, true), (folder, false)] {
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: createsParents,
                    attributes: [.posixPermissions: 0o700])
            }
        } catch {
            throw StateBackupError.unwritable(path: folder, reason: "the folder cannot be created")
        }
        do {
            for suffix in ["", "-wal"] where suffix.isEmpty || access(file + suffix, F_OK) == 0 {
                try Self.copy(file + suffix, path + suffix)
            }
        } catch {
            remove()
            throw StateBackupError.unwritable(path: path, reason: "\(file) cannot be copied there")
        }
    }

    private static func copy(_ path: String, _ place: String) throws {
        PrivateFile.createIfMissing(place)
        let source = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        let target = try FileHandle(forWritingTo: URL(fileURLWithPath: place))
        defer {
            try? source.close()
            try? target.close()
        }
        while let data = try source.read(upToCount: 1 << 20), !data.isEmpty { try target.write(contentsOf: data) }
    }

    /// Reads the copy completely and verifies it.
    ///
    /// - Throws: ``StateBackupError/unsound(path:reason:)`` with the path of the backup, or `NewerSchema`.
    func verify() throws -> StateBackup {
        do {
            return try StateBackup.verify(path)
        } catch StateBackupError.unsound(_, let reason) {
            throw StateBackupError.unsound(path: file, reason: reason)
        }
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }
}
