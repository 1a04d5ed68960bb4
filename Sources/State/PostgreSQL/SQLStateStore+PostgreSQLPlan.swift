package import PostgreSQL
package import SQLAccess

extension SQLStateStore {
    /// Returns the migrations that a state in PostgreSQL lacks, and changes nothing.
    ///
    /// - Throws: ``StateStoreError/cannotOpen(path:reason:)`` or ``StateStoreError/newerSchema(path:reason:)``.
    package static func migrationPlan(
        postgreSQL settings: PostgreSQLSettings, schema: PostgreSQLSchemaName, library: LibPQ
    ) throws -> MigrationPlan {
        let connection = PostgreSQLConnection(library, settings.server, canceller: Canceller())
        defer { connection.close() }
        do {
            try connection.connect()
            return try PostgreSQLMigrator(connection: connection, schema: schema).plan()
        } catch let error as PostgreSQLError {
            throw PostgreSQLPreparation.cannotOpen(schema, error)
        }
    }
}

extension PostgreSQLMigrator {
    /// Returns the migrations that the schema lacks.
    fileprivate func plan() throws -> MigrationPlan {
        let applied = try hasMigrationTable() ? applied() : 0
        return try MigrationPlan(
            migrations, applied: min(applied, migrations.count), version: try version(), rows: estimatedRows)
    }

    private func version() throws -> Int64 {
        guard try hasMigrationTable() else { return 0 }
        return try integer("SELECT max(number) FROM \(schema.quoted).migration", []) ?? 0
    }

    /// Returns the number of rows that PostgreSQL estimated at its last ANALYZE; nil if there was none yet.
    private func estimatedRows(of table: String) throws -> Int64? {
        let estimate = try integer(
            """
            SELECT reltuples::bigint FROM pg_catalog.pg_class WHERE relname = $1
            AND relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $2)
            """, [table, schema.name])
        return estimate.flatMap { $0 < 0 ? nil : $0 }
    }

    private func integer(_ sql: String, _ values: [String?]) throws -> Int64? {
        try connection.query(sql, values, limits).rows.first?.first.flatMap { Self.integer($0) }
    }
}
