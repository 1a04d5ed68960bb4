package import Foundation
import GRDB
import SQLAccess

/// Puts a backup in the state's place.
package struct StateRestore: Sendable, Equatable {
    package let backup: StateBackup
    /// Sessions issued before it are ended.
    package let sessionFloor: Date
    /// Where the former state is; nil where there was none.
    package let formerState: String?

    /// Brings a backup back, and ends every session issued up to the moment: what was revoked since the backup is not in it.
    /// Sessions that count as issued later, as far as the backup, the former state or its generation file say, are ended too.
    ///
    /// The backup stays where it is. The former state is kept beside the new one until the next restore.
    ///
    /// - Throws: ``StateBackupError`` or ``NewerSchema``; the state is then as it was.
    package static func make(from file: String, to path: String, at moment: Date) throws -> StateRestore {
        guard access(file, R_OK) == 0 else { throw StateBackupError.noBackup(path: file) }
        let folder = "\(path).restoring-\(UUID().uuidString)"
        do {
            try FileManager.default.createDirectory(
                at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch {
            throw StateBackupError.unwritable(path: folder, reason: "the folder can not be made")
        }
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let copy = folder + "/state.sqlite"
        do {
            let backup = try prepare(file, copy)
            let former = [former(path), GenerationFile(beside: path).read().generation]
            let (floor, generation) = try raiseFloor(of: copy, at: moment, endingAllOf: former)
            try DurableFolder.synchroniseFile(copy)
            let place = try replace(path, by: copy)
            try GenerationFile(beside: path).write(generation)
            return StateRestore(backup: backup, sessionFloor: floor, formerState: place)
        } catch let error as DatabaseError {
            throw StateBackupError.database(reason: error.message ?? "SQLite code \(error.resultCode.rawValue)")
        }
    }

    /// Copies a backup, with what lies in a WAL beside it, and verifies the copy.
    private static func prepare(_ file: String, _ copy: String) throws -> StateBackup {
        for suffix in ["", "-wal"] where suffix.isEmpty || access(file + suffix, F_OK) == 0 {
            do {
                PrivateFile.createIfMissing(copy + suffix)
                let source = try FileHandle(forReadingFrom: URL(fileURLWithPath: file + suffix))
                let target = try FileHandle(forWritingTo: URL(fileURLWithPath: copy + suffix))
                defer {
                    try? source.close()
                    try? target.close()
                }
                while let data = try source.read(upToCount: 1 << 20), !data.isEmpty {
                    try target.write(contentsOf: data)
                }
            } catch {
                throw StateBackupError.unwritable(path: copy, reason: "\(file)\(suffix) can not be copied there")
            }
        }
        do {
            return try StateBackup.verify(copy)
        } catch StateBackupError.unsound(_, let reason) {
            throw StateBackupError.unsound(path: file, reason: reason)
        }
    }

    /// What the state says that is replaced; nil where it can not be read, which may be the reason for the restore.
    private static func former(_ path: String) -> StateGeneration? {
        guard access(path, F_OK) == 0 else { return nil }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        guard let queue = try? DatabaseQueue(path: path, configuration: configuration) else { return nil }
        defer { try? queue.close() }
        return try? queue.read(StateGeneration.recorded)
    }

    private static func raiseFloor(
        of copy: String, at moment: Date, endingAllOf former: [StateGeneration?]
    ) throws -> (floor: Date, generation: StateGeneration) {
        let queue = try DatabaseQueue(path: copy)
        try StateSchema.migrator.migrate(queue)
        let (floor, generation) = try queue.write { db in
            let floor = StateGeneration.floor(
                at: moment, endingAllOf: former + [try StateGeneration.recorded(db)])
            return (floor, try StateGeneration.begin(db, endingSessionsBefore: floor))
        }
        // Everything into the one file.
        try queue.writeWithoutTransaction { db in _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE") }
        try queue.close()
        return (floor, generation)
    }

    /// - Returns: where the former state went.
    private static func replace(_ path: String, by copy: String) throws -> String? {
        if let process = DatabaseUse.process(of: path) { throw StateBackupError.inUse(path: path, process: process) }
        guard access(path, F_OK) == 0 else {
            // Without its file the WAL of the former state is of no use, and SQLite would write it over the backup.
            for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
            try move(copy, to: path)
            return nil
        }
        let former = path + ".before-restore"
        // One of an earlier restore, and above all its WAL, belongs to another file.
        for suffix in ["", "-wal", "-shm"] { unlink(former + suffix) }
        do {
            // Succeeds only for the last connection, and brings what is in the WAL into the file. The connection stays open
            // until the file is replaced: whoever opens it meanwhile finds that it was.
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
            // The reason why there is a restore. With its side files it may still tell somebody something.
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
        try DurableFolder.synchronise(of: place)
    }
}
