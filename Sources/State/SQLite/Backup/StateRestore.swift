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
    /// What became of the audit logs of the former state and of the backup.
    package let auditLog: AuditLogRestore.Outcome

    /// Restores a backup and ends every session issued up to the given timestamp, because the backup lacks the
    /// revocations that were recorded later. Sessions that count as issued later according to the backup, the
    /// former state or its generation file are ended too.
    ///
    /// The backup remains in its place. The former state remains next to the new state until the next restore. Its audit
    /// log goes on in the new state, if it is readable.
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
            var outcome = AuditLogRestore.Outcome.continued
            let place = try replace(path, by: copy.path) { state in
                outcome = try continueAuditLog(of: state, in: copy.path, at: timestamp, audit)
            }
            if place.isUnreadable { outcome = .unreadable }
            try GenerationFile(alongside: path).write(generation)
            return StateRestore(
                backup: backup, sessionFloor: floor, formerState: place.former, auditLog: outcome)
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

    /// Joins the audit log of the replaced state with that of the copy, and appends the entry of the restore.
    ///
    /// - Parameter state: The replaced state, which nothing else can change; nil if it is missing or unreadable.
    private static func continueAuditLog(
        of state: Database?, in copy: String, at timestamp: Date, _ audit: AuditLogRestore?
    ) throws -> AuditLogRestore.Outcome {
        do {
            let queue = try DatabaseQueue(path: copy)
            let outcome = try queue.write { db in
                let target = SQLiteTransaction(db)
                let backup = try AuditRow.head(target)
                let joined = state.map { join($0, db) }
                try audit?.append(former: joined?.former, backup: backup, at: timestamp, target)
                return joined?.outcome ?? .continued
            }
            try queue.close()
            try FileSync.synchroniseFile(copy)
            return outcome
        } catch let error as DatabaseError {
            // An error of the copy must not be taken for one of the replaced state.
            throw StateBackupError.database(reason: error.message ?? "SQLite code \(error.resultCode.rawValue)")
        }
    }

    /// Returns the last entry of the replaced state's log, and continues that log in the copy. A state of an older release has no log. A
    /// damaged state may be the reason for the restore.
    private static func join(
        _ state: Database, _ copy: Database
    ) -> (former: AuditHead?, outcome: AuditLogRestore.Outcome) {
        do {
            guard try state.tableExists(AuditRow.table) else { return (nil, .continued) }
            let (former, target) = (SQLiteTransaction(state), SQLiteTransaction(copy))
            let head = try AuditRow.head(former)
            var outcome = AuditLogRestore.Outcome.continued
            try copy.inSavepoint {
                outcome = try AuditLogRestore.join(
                    former: former, backup: target, in: target,
                    clearing: {
                        // The triggers do not allow to delete entries.
                        try copy.execute(sql: "DROP TABLE \(AuditRow.table)")
                        try copy.execute(sql: StateSchema.audit + "\n" + StateSchema.auditTriggers)
                    })
                return .commit
            }
            return (head, outcome)
        } catch {
            return (nil, .unreadable)
        }
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
    /// - Parameter complete: Completes the copy with what the former state has. Nothing else can write to that state any
    ///   more. Receives nil if there is no former state, or an unreadable one.
    /// - Returns: The path of the former state, and whether it is unreadable.
    private static func replace(
        _ path: String, by copy: String, completing complete: (Database?) throws -> Void
    ) throws -> (former: String?, isUnreadable: Bool) {
        if let process = DatabaseUsageCheck.process(of: path) {
            throw StateBackupError.inUse(path: path, process: process)
        }
        guard access(path, F_OK) == 0 else {
            try complete(nil)
            // The WAL of the former state is useless without its file, and SQLite would apply it to the backup.
            for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
            try move(copy, to: path)
            return (nil, false)
        }
        let former = path + ".before-restore"
        do {
            // The mode change succeeds only for the last connection, and moves the WAL into the file. The
            // connection stays open until the file is replaced, so that a process that opens the file meanwhile
            // detects the replacement.
            let queue = try DatabaseQueue(path: path)
            try queue.writeWithoutTransaction { db in
                _ = try String.fetchOne(db, sql: "PRAGMA locking_mode = EXCLUSIVE")
                _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE")
                // A file without WAL is locked only by a transaction. The exclusive mode retains the lock.
                try db.execute(sql: "BEGIN EXCLUSIVE; COMMIT")
                try complete(db)
            }
            removeFormer(former)
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
            try complete(nil)
            removeFormer(former)
            for suffix in ["-wal", "-shm"] where access(path + suffix, F_OK) == 0 {
                try move(path + suffix, to: former + suffix)
            }
            try move(path, to: former)
            try move(copy, to: path)
            return (former, true)
        }
        return (former, false)
    }

    /// Removes the former state of an earlier restore, because it, and above all its WAL, belongs to another file.
    private static func removeFormer(_ path: String) { for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) } }

    private static func move(_ path: String, to place: String) throws {
        guard rename(path, place) == 0 else {
            throw StateBackupError.unwritable(path: place, reason: String(cString: strerror(errno)))
        }
        try FileSync.synchronise(of: place)
    }
}
