package import Foundation
import GRDB
import Gatefold
import SQLAccess

/// A restore of the state from a backup.
package struct StateRestore: Sendable, Equatable {
    package let backup: StateBackup
    /// The session floor: sessions issued before this date are ended.
    package let sessionFloor: Date
    /// The path of the former state; nil if there was none.
    package let formerState: String?

    /// Restores a backup and ends every session issued up to the given timestamp, because the backup lacks the
    /// revocations that were recorded later. Sessions that count as issued later according to the backup, the
    /// former state or its generation file are ended too.
    ///
    /// The backup remains in its place. The former state remains next to the new state until the next restore. Its audit
    /// log goes on in the new state, if it is readable and the backup was made of it.
    ///
    /// - Parameter audit: The entry of the restore in the audit log; nil for none.
    /// - Throws: ``StateBackupError`` or `NewerSchema`. The state is then unchanged.
    package static func make(
        from file: String, to path: String, at timestamp: Date, audit: AuditLogRestore? = nil
    ) throws -> StateRestore {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let copy = try BackupCopy(of: file, in: folder)
        defer { copy.remove() }
        do {
            let backup = try copy.verify()
            let former = [former(path), GenerationFile(alongside: path).read().generation]
            let (floor, generation) = try raiseFloor(of: copy.path, at: timestamp, endingAllOf: former)
            try continueAuditLog(of: path, in: copy.path, at: timestamp, audit)
            try FileSync.synchroniseFile(copy.path)
            let place = try replace(path, by: copy.path)
            try GenerationFile(alongside: path).write(generation)
            return StateRestore(backup: backup, sessionFloor: floor, formerState: place)
        } catch let error as DatabaseError {
            throw StateBackupError.database(reason: error.message ?? "SQLite code \(error.resultCode.rawValue)")
        }
    }

    /// Returns the generation of the replaced state; nil if the state is unreadable, which may be the reason for
    /// the restore.
    private static func former(_ path: String) -> StateGeneration? {
        guard access(path, F_OK) == 0 else { return nil }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        guard let queue = try? DatabaseQueue(path: path, configuration: configuration) else { return nil }
        defer { try? queue.close() }
        return try? queue.read(StateGeneration.recorded)
    }

    /// Appends what the audit log of the replaced state has besides that of the copy, and the entry of the restore.
    private static func continueAuditLog(
        of path: String, in copy: String, at timestamp: Date, _ audit: AuditLogRestore?
    ) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        let state = access(path, F_OK) == 0 ? try? DatabaseQueue(path: path, configuration: configuration) : nil
        defer { try? state?.close() }
        let queue = try DatabaseQueue(path: copy)
        try queue.write { db in
            let target = SQLiteTransaction(db)
            let backup = try AuditRow.head(target)
            // An unreadable state may be the reason for the restore, and one of an older release has no log. What was read
            // before an error is part of the log.
            let former = try? state?.read { other in
                let head = try AuditRow.head(SQLiteTransaction(other))
                try AuditLogRestore.extend(target, by: SQLiteTransaction(other))
                return head
            }
            try audit?.append(former: former, backup: backup, at: timestamp, target)
        }
        try queue.close()
    }

    private static func raiseFloor(
        of copy: String, at timestamp: Date, endingAllOf former: [StateGeneration?]
    ) throws -> (floor: Date, generation: StateGeneration) {
        let queue = try DatabaseQueue(path: copy)
        try StateSchema.migrator.migrate(queue)
        let (floor, generation) = try queue.write { db in
            let floor = StateGeneration.floor(
                at: timestamp, endingAllOf: former + [try StateGeneration.recorded(db)])
            return (floor, try StateGeneration.begin(db, endingSessionsBefore: floor))
        }
        // Moves all data from the WAL into the single file.
        try queue.writeWithoutTransaction { db in _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE") }
        try queue.close()
        return (floor, generation)
    }

    /// Replaces the state by the copy.
    ///
    /// - Returns: The path of the former state.
    private static func replace(_ path: String, by copy: String) throws -> String? {
        if let process = DatabaseUsageCheck.process(of: path) {
            throw StateBackupError.inUse(path: path, process: process)
        }
        guard access(path, F_OK) == 0 else {
            // The WAL of the former state is useless without its file, and SQLite would apply it to the backup.
            for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
            try move(copy, to: path)
            return nil
        }
        let former = path + ".before-restore"
        // The former state of an earlier restore, and above all its WAL, belongs to another file.
        for suffix in ["", "-wal", "-shm"] { unlink(former + suffix) }
        do {
            // The mode change succeeds only for the last connection, and moves the WAL into the file. The
            // connection stays open until the file is replaced, so that a process that opens the file meanwhile
            // detects the replacement.
            let queue = try DatabaseQueue(path: path)
            try queue.writeWithoutTransaction { db in
                _ = try String.fetchOne(db, sql: "PRAGMA locking_mode = EXCLUSIVE")
                _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE")
            }
            try move(path, to: former)
            try move(copy, to: path)
            try queue.close()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            throw StateBackupError.inUse(path: path, process: nil)
        } catch let error as DatabaseError
            where [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_CANTOPEN, .SQLITE_IOERR].contains(error.resultCode)
        {
            // The corrupt file is the reason for the restore. Its side files are saved, because they may help an
            // investigation.
            for suffix in ["-wal", "-shm"] where access(path + suffix, F_OK) == 0 {
                try move(path + suffix, to: former + suffix)
            }
            try move(path, to: former)
            try move(copy, to: path)
        }
        return former
    }

    private static func move(_ path: String, to place: String) throws {
        guard rename(path, place) == 0 else {
            throw StateBackupError.unwritable(path: place, reason: String(cString: strerror(errno)))
        }
        try FileSync.synchronise(of: place)
    }
}
