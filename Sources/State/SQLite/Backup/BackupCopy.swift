import Foundation
import SQLAccess

/// A private copy of a backup, in a folder of its own, that a restore may migrate.
struct BackupCopy {
    private static let prefix = "restoring-"

    private let file: String
    private let folder: String
    /// The open folder. Its lock shows that the restore is in progress, and ends with the process.
    private let descriptor: CInt
    let path: String

    /// Copies a backup, including a WAL next to it. Removes the copies of restores that were killed.
    ///
    /// - Throws: ``StateBackupError/noBackup(path:)`` or ``StateBackupError/unwritable(path:reason:)``.
    init(of file: String, in parent: String) throws {
        guard access(file, R_OK) == 0 else { throw StateBackupError.noBackup(path: file) }
        self.file = file
        folder = "\(parent)/\(Self.prefix)\(UUID().uuidString)"
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
        guard let descriptor = Self.lock(folder) else {
            throw StateBackupError.unwritable(path: folder, reason: "the folder cannot be locked")
        }
        self.descriptor = descriptor
        Self.removeOthers(in: parent)
        do {
            for suffix in ["", "-wal"] where suffix.isEmpty || access(file + suffix, F_OK) == 0 {
                try Self.copy(file + suffix, path + suffix)
            }
        } catch {
            remove()
            throw StateBackupError.unwritable(path: path, reason: "\(file) cannot be copied there")
        }
    }

    /// Opens and locks a folder.
    ///
    /// - Returns: The descriptor; nil if the folder is missing, or if another process has locked it.
    private static func lock(_ folder: String) -> CInt? {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// Removes the folders of restores that have ended without doing so.
    private static func removeOthers(in parent: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? [] where name.hasPrefix(prefix) {
            let folder = "\(parent)/\(name)"
            guard let descriptor = lock(folder) else { continue }
            try? FileManager.default.removeItem(atPath: folder)
            close(descriptor)
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

    func remove() {
        try? FileManager.default.removeItem(atPath: folder)
        close(descriptor)
    }
}
