import GRDB
import SQLAccess

extension SQLStateStore {
    /// Returns the migrations that an embedded state lacks, and changes nothing.
    ///
    /// - Parameter path: The path of the SQLite file, which must exist.
    /// - Throws: ``StateStoreError/cannotOpen(path:reason:)`` or ``StateStoreError/newerSchema(path:reason:)``.
    package static func migrationPlan(path: String) throws -> MigrationPlan {
        do {
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(5)
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            let plan = try queue.read { db in
                try StateSchema.rejectIncompatible(db)
                let all = try StateSchema.migrator.appliedIdentifiers(db)
                return try MigrationPlan(
                    StateSchema.migrations, applied: try StateSchema.migrator.appliedMigrations(db).count,
                    version: all.map { StateSchema.number(of: $0) }.max() ?? 0,
                    rows: { table in try Int64.fetchOne(db, sql: "SELECT count(*) FROM \(table)") })
            }
            try queue.close()
            return plan
        } catch let error as NewerSchema {
            throw StateStoreError.newerSchema(path: path, reason: error.description)
        } catch {
            throw StateStoreError.cannotOpen(path: path, reason: (error as? DatabaseError)?.message ?? "\(error)")
        }
    }
}
