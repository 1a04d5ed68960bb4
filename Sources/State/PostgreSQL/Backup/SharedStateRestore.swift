package import Foundation
import GRDB
import Gatefold
import Primitives
import SQLAccess

/// A restore of a state that several nodes share.
package struct SharedStateRestore: Sendable, Equatable {
    package let backup: StateBackup
    /// The session floor: sessions issued before this date are ended.
    package let sessionFloor: Date
    /// What became of the audit logs of the replaced state and of the backup.
    package let auditLog: AuditLogRestore.Outcome

    /// A node that reported itself within this number of seconds may be running.
    static let nodeTimeout: TimeInterval = 60

    /// Replaces a state by a backup and ends every session that was ever issued, because the backup lacks the revocations
    /// that were recorded later. Begins a new history, so that nodes read all changes again.
    ///
    /// The replacement is one transaction. If it is interrupted, the state is unchanged.
    ///
    /// - Parameters:
    ///   - file: A backup of either kind of state, which remains in its place.
    ///   - folder: An existing folder for a temporary copy of the backup.
    ///   - audit: The entry of the restore in the audit log; nil for none. It is a part of the transaction.
    /// - Throws: ``StateBackupError``, ``StateCopyError``, `NewerSchema` if a newer release has migrated the backup,
    ///   ``StateStoreError/newerSchema(path:reason:)`` if it has migrated the state, or another ``StateStoreError``. The
    ///   state is then unchanged, unless the reason says that the outcome is unknown.
    package static func make(
        from file: String, to store: SQLStateStore, folder: String, audit: AuditLogRestore? = nil,
        didProgress: @escaping @Sendable (StateCopy.Progress) -> Void
    ) async throws -> SharedStateRestore {
        let copy = try BackupCopy(of: file, in: folder)
        defer { copy.remove() }
        do {
            let backup = try copy.verify()
            let queue = try DatabaseQueue(path: copy.path)
            // A backup of an older release gets the tables of this one.
            try StateSchema.migrator.migrate(queue)
            let (floor, outcome) = try await store.database.write(.statements) { target in
                try queue.read { db in
                    let (backup, now) = (SQLiteTransaction(db), store.clock.now)
                    let floor = try replace(target, by: backup, at: now, didProgress)
                    let former = try AuditRow.head(target)
                    let outcome = try AuditLogRestore.join(former: target, backup: backup, in: target)
                    try audit?.append(former: former, backup: try AuditRow.head(backup), at: now, target)
                    return (floor, outcome)
                }
            }
            try queue.close()
            return SharedStateRestore(backup: backup, sessionFloor: floor, auditLog: outcome)
        } catch let error as DatabaseError {
            throw StateBackupError.database(reason: error.message ?? "SQLite code \(error.resultCode.rawValue)")
        }
    }

    /// - Returns: The session floor.
    private static func replace(
        _ target: any StateTransaction, by backup: any StateTransaction, at now: Date,
        _ didProgress: @escaping (StateCopy.Progress) -> Void
    ) throws -> Date {
        do {
            try target.rejectUnknown()
        } catch let error as NewerSchema {
            throw StateStoreError.newerSchema(path: "in PostgreSQL", reason: error.description)
        }
        // Readers go on with the former rows until the commit. A node that starts meanwhile waits with its first write.
        let tables = Set(StateTable.all.map(\.name) + ["generation", "lease", "node"] + StateGeneration.endedTables)
        try target.execute("LOCK TABLE \(tables.sorted().joined(separator: ", ")) IN EXCLUSIVE MODE")
        let nodes = try target.allTexts(
            "SELECT name FROM node WHERE heard > ? ORDER BY name", [now.timeIntervalSince1970 - nodeTimeout])
        guard nodes.isEmpty else { throw StateBackupError.usedByNodes(nodes) }

        let issued = try [latestIssue(target), latestIssue(backup), now].compactMap(\.self).max() ?? now
        let floor = StateGeneration.floor(at: issued, endingAllOf: [])
        let former = try FormerValues(target)
        for table in StateTable.replaceable { try target.execute("DELETE FROM \(table.name)") }
        try StateTransfer(
            source: backup, target: target, tables: StateTable.replaceable, didProgress: didProgress
        ).run()
        try former.join(into: target, with: backup)
        try SQLStateStore.beginGeneration(target, endingSessionsBefore: floor)
        // A copy that was not complete has been replaced.
        try target.execute("DELETE FROM lease WHERE name = ?", [StateCopy.marker])
        return floor
    }

    /// Returns the latest time at which a session counts as issued, as far as a state records it. A damaged record may be
    /// the reason for the restore.
    private static func latestIssue(_ db: any StateTransaction) throws -> Date? {
        [try SQLStateStore.sessionFloor(db), try? StoreClockRow.clock(db)?.latest].compactMap(\.self).max()
    }
}

/// Values of the replaced state that must not decrease.
private struct FormerValues {
    /// The last assigned numbers, by table. Apps and stores may know numbers that the backup lacks.
    private var numbers: [String: Int64] = [:]
    /// The longest lifetimes of tokens. Tokens that were issued after the backup may outlive those that it records, and
    /// their revocations would be deleted too early.
    private let bounds: [StateRow]

    init(_ db: any StateTransaction) throws {
        for table in StateTable.all {
            if let column = table.numbered { numbers[table.name] = try db.lastNumber(in: table.name, column) }
        }
        bounds = try db.rows("SELECT publication, lifetime, after_expiry, pruned_until FROM token_bounds")
    }

    func join(into target: any StateTransaction, with backup: any StateTransaction) throws {
        for table in StateTable.all {
            guard let column = table.numbered else { continue }
            let last = max(try backup.lastNumber(in: table.name, column), numbers[table.name] ?? 0)
            try target.setLastNumber(last, in: table.name, column)
        }
        for row in bounds {
            try target.execute(
                """
                INSERT INTO token_bounds (publication, lifetime, after_expiry, pruned_until) VALUES (?, ?, ?, ?)
                ON CONFLICT (publication) DO UPDATE SET
                    lifetime = greatest(token_bounds.lifetime, excluded.lifetime),
                    after_expiry = greatest(token_bounds.after_expiry, excluded.after_expiry),
                    pruned_until = greatest(token_bounds.pruned_until, excluded.pruned_until)
                """, row.values as StateArguments)
        }
    }
}
