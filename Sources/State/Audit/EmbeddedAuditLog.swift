import GRDB
package import Gatefold
package import Primitives
import SQLAccess

/// The audit log in the file of an embedded state, for a command that must not migrate the state.
package enum EmbeddedAuditLog {
    /// Appends an entry. The state of an older release, which has no audit log yet, stays unchanged.
    ///
    /// - Parameter path: The path of the SQLite file, which must exist.
    /// - Throws: `NewerSchema`, or ``StateStoreError/unavailable(reason:)``.
    package static func append(
        _ record: AuditRecord, to chain: AuditChain, path: String, clock: WallClock = .system
    ) throws {
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.read(StateSchema.rejectIncompatible)
            try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            try queue.write { db in
                guard try db.tableExists(AuditRow.table) else { return }
                _ = try AuditRow.append(record, to: chain, at: clock.now, SQLiteTransaction(db))
            }
            try queue.close()
        } catch let error as DatabaseError {
            throw StateStoreError.unavailable(reason: error.message ?? "SQLite code \(error.resultCode.rawValue)")
        }
    }
}
