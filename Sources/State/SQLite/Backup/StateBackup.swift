import Foundation
import GRDB
import SQLAccess

/// A backup of the state: a consistent copy that is made while the state is in use, and that can be restored.
package struct StateBackup: Sendable, Equatable {
    /// The size in bytes.
    package let size: Int
    /// The number of revocations in the copy.
    package let revocations: Int

    /// Copies the state at `path` into a new file that only its owner may read, and verifies the copy.
    ///
    /// The state itself does not change. A server may continue to write to it.
    ///
    /// - Throws: ``StateBackupError``.
    package static func make(of path: String, to file: String) throws -> StateBackup {
        guard access(path, F_OK) == 0 else { throw StateBackupError.noState(path: path) }
        let target = try BackupFile(file)
        defer { target.close() }
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
            let state = try DatabaseQueue(path: path, configuration: configuration)
            // One read transaction: the copy includes the content of the WAL and excludes later writes.
            try state.writeWithoutTransaction { db in
                try StateSchema.rejectIncompatible(db)
                try db.execute(sql: "VACUUM INTO ?", arguments: [target.part])
            }
            try state.close()
            return try target.complete()
        } catch let error as DatabaseError {
            throw StateBackupError.database(reason: error.message ?? "SQLite code \(error.resultCode.rawValue)")
        }
    }

    /// Reads a copy completely and verifies it.
    ///
    /// - Throws: ``StateBackupError`` or `NewerSchema` if the file is not a sound copy of a state that this
    ///   release knows.
    static func verify(_ path: String) throws -> StateBackup {
        do {
            let copy = try DatabaseQueue(path: path)
            let revocations = try copy.writeWithoutTransaction { db in
                let problems = try String.fetchAll(db, sql: "PRAGMA integrity_check(10)")
                guard problems == ["ok"] else {
                    throw StateBackupError.unsound(path: path, reason: problems.first ?? "it cannot be read")
                }
                let applied = try StateSchema.migrator.appliedIdentifiers(db)
                guard applied.contains(StateSchema.baseline) else {
                    throw StateBackupError.unsound(path: path, reason: "it is not a Gatefold state")
                }
                try StateSchema.rejectIncompatible(db)
                return try Int.fetchOne(db, sql: "SELECT count(*) FROM revocation") ?? 0
            }
            try copy.close()
            var status = stat()
            stat(path, &status)
            return StateBackup(size: Int(status.st_size), revocations: revocations)
        } catch let error as DatabaseError {
            throw StateBackupError.unsound(
                path: path, reason: error.message ?? "SQLite code \(error.resultCode.rawValue)")
        }
    }
}

/// The reason that a state could not be copied or restored.
package enum StateBackupError: Error, Equatable, CustomStringConvertible {
    case noState(path: String)
    case noBackup(path: String)
    case fileExists(path: String)
    case unwritable(path: String, reason: String)
    case unsound(path: String, reason: String)
    /// Another process has the state open.
    case inUse(path: String, process: Int32?)
    /// These nodes reported themselves within the last minute.
    case usedByNodes([String])
    case database(reason: String)

    package var description: String {
        switch self {
        case .noState(let path): "there is no state \(path)"
        case .noBackup(let path): "there is no file \(path)"
        case .fileExists(let path): "\(path) exists; expected the path of a new file"
        case .unwritable(let path, let reason): "\(path) cannot be written: \(reason)"
        case .unsound(let path, let reason): "\(path) cannot be used: \(reason)"
        case .inUse(let path, let process):
            "the state \(path) is in use" + (process.map { " by the process \($0)" } ?? "")
                + "; expected the server to be stopped first"
        case .usedByNodes(let nodes):
            "the state is in use by \(nodes.count == 1 ? "the node" : "the nodes") \(nodes.joined(separator: ", ")); "
                + "expected all nodes to be stopped first. Remove a node that was killed with `gatefold nodes remove`"
        case .database(let reason): "the state cannot be copied: \(reason)"
        }
    }
}
