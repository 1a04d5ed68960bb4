import Foundation
import PostgreSQL
import SQLAccess

/// Brings the schema of a database up to date. One node migrates while the others wait.
struct PostgreSQLMigrator {
    let connection: any PostgreSQLSession
    let schema: PostgreSQLSchemaName
    /// A Boolean value that indicates whether missing migrations are applied. They are an error otherwise.
    var migrates = true
    /// All migrations of the schema, in the order of their numbers.
    var migrations = PostgreSQLStateSchema.migrations
    /// The time limit for a statement. The creation of an index on a large table takes long.
    let limits = PostgreSQLConnection.Limits(rows: 1_000, time: .seconds(600))

    /// The maximum wait for the lock on a table. While the migration waits behind a backup, all other statements on the table
    /// wait behind the migration.
    var lockTimeout = Duration.seconds(1)
    /// The number of attempts to get all locks.
    var lockAttempts = 20
    /// Waits between two attempts, in which the waiting statements run.
    var pause: (TimeInterval) -> Void = { Thread.sleep(forTimeInterval: $0) }
    private static let lockPause: TimeInterval = 2

    /// Applies the missing migrations. If another transaction uses a table for about a minute, nothing is changed.
    ///
    /// - Throws: ``StateStoreError/newerSchema(path:reason:)``, ``StateStoreError/cannotOpen(path:reason:)`` or
    ///   `PostgreSQLError`.
    func migrate() throws {
        // A role without the right to create tables can use a schema that is up to date.
        if try isComplete() { return }
        guard migrates else {
            throw StateStoreError.cannotOpen(
                path: place,
                reason: "its tables are missing or older than this release; run `gatefold state migrate` first")
        }
        for attempt in 1... {
            do {
                return try migrateOnce()
            } catch PostgreSQLError.serverError(sqlState: Self.lockNotAvailable) {
                guard attempt < lockAttempts else {
                    throw StateStoreError.cannotOpen(
                        path: place,
                        reason: """
                            a table to migrate is in use by a backup or another long transaction; expected none. Nothing \
                            was changed; try again later
                            """)
                }
            }
            pause(Self.lockPause)
        }
    }

    /// The state for a lock that was not available within `lock_timeout` (PostgreSQL manual, appendix A).
    private static let lockNotAvailable = "55P03"

    private func migrateOnce() throws {
        _ = try connection.script(
            """
            BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
            SET LOCAL search_path = \(schema.quoted), pg_temp; SET LOCAL statement_timeout = 0
            """, limits)
        do {
            // The lock ends with the transaction, as PgBouncer requires.
            _ = try connection.query(
                "SELECT pg_advisory_xact_lock(hashtext($1))", ["gatefold migration of \(schema.name)"], limits)
            _ = try connection.script("SET LOCAL lock_timeout = \(Int(lockTimeout / .milliseconds(1)))", limits)
            try createMigrationTable()
            for migration in migrations.dropFirst(try applied()) {
                _ = try connection.script(migration.sql, limits)
                _ = try connection.change(
                    "INSERT INTO migration (number, name, checksum) VALUES ($1::bigint, $2, $3)",
                    [String(migration.number), migration.name, migration.checksum], limits)
            }
            _ = try connection.change("COMMIT", [], limits)
        } catch {
            if connection.isInTransaction { _ = try? connection.change("ROLLBACK", [], limits) }
            throw error
        }
    }

    private var place: String { "PostgreSQL schema \(schema.name)" }

    private func isComplete() throws -> Bool {
        try hasMigrationTable() && applied() >= migrations.count
    }

    /// Returns whether the schema, or its table `migration`, exists.
    ///
    /// The statements read the catalogue's tables. Functions such as `to_regclass` read a cache of the connection,
    /// which after the wait for the lock may lack what another node has just created.
    private func exists(_ statement: String) throws -> Bool {
        try connection.query("SELECT EXISTS (\(statement))", [schema.name], limits).rows.first?.first == "t"
    }

    func hasMigrationTable() throws -> Bool {
        try exists("SELECT FROM pg_catalog.pg_tables WHERE schemaname = $1 AND tablename = 'migration'")
    }

    private func createMigrationTable() throws {
        if try hasMigrationTable() { return }
        if try !exists("SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1") {
            _ = try connection.change("CREATE SCHEMA \(schema.quoted)", [], limits)
        }
        _ = try connection.change(
            """
            CREATE TABLE migration (
                number bigint PRIMARY KEY, name text NOT NULL, checksum text NOT NULL,
                applied timestamptz NOT NULL DEFAULT clock_timestamp())
            """, [], limits)
    }

    /// Returns the number of applied migrations, which may be more than this release knows.
    ///
    /// - Throws: ``StateStoreError/newerSchema(path:reason:)`` if one of the others requires a newer release.
    func applied() throws -> Int {
        let rows = try connection.query(
            "SELECT number, checksum, name FROM \(schema.quoted).migration ORDER BY number", [], limits
        ).rows
        try rejectIncompatible(rows.dropFirst(migrations.count))
        for (row, migration) in zip(rows, migrations) {
            guard Array(row.prefix(2)) == [String(migration.number), migration.checksum] else {
                throw StateStoreError.cannotOpen(
                    path: place, reason: "migration \(migration.number) differs from that of this release")
            }
        }
        return rows.count
    }

    /// - Parameter rows: The numbers, checksums and names of the migrations that this release does not know.
    private func rejectIncompatible(_ rows: ArraySlice<[String?]>) throws {
        if rows.isEmpty { return }
        var since: [Int64: Int64] = [:]
        if try exists(
            "SELECT FROM pg_catalog.pg_tables WHERE schemaname = $1 AND tablename = 'schema_compatibility'")
        {
            for row in try connection.query(
                "SELECT version, since FROM \(schema.quoted).schema_compatibility", [], limits
            ).rows {
                guard let version = Self.integer(row[0]) else { continue }
                since[version] = Self.integer(row[1])
            }
        }
        let unknown = rows.map {
            SchemaCompatibility.Unknown(number: Self.integer($0[0]) ?? 0, name: "\($0[0] ?? "") \($0[2] ?? "")")
        }
        let rejected = SchemaCompatibility.rejected(unknown, since: since, version: migrations.last?.number ?? 0)
        guard rejected.isEmpty else {
            throw StateStoreError.newerSchema(path: place, reason: NewerSchema(unknown: rejected).description)
        }
    }

    static func integer(_ text: String?) -> Int64? { text.flatMap { Int64($0) } }
}
