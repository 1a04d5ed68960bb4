import Accounts
import GRDB
import SQLAccess

/// The tables of the embedded state store, by topic.
///
/// Times are seconds since 1970. Every statement on these tables is standard SQL or the common part of SQLite and
/// PostgreSQL (`ON CONFLICT (columns)`, `RETURNING`), so that another store can use them: BLOB is `bytea`, REAL is
/// `double precision`, INTEGER is `bigint`, AUTOINCREMENT an identity column. STRICT and WITHOUT ROWID are left out.
///
/// A migration never changes once a release has it, see ``SchemaMigration``. `Fixtures/Migrations` has a database of each
/// past schema, and tests open them.
enum StateSchema {
    static let migrations = [
        SchemaMigration(number: 1, name: "state", sql: state),
        SchemaMigration(number: 2, name: "leases", sql: leases),
        SchemaMigration(number: 3, name: "nodes", sql: counters + "\n" + nodes),
        SchemaMigration(number: 4, name: "compatibility", compatibleSince: 4, sql: SchemaCompatibility.table),
        SchemaMigration(number: 5, name: "node URLs", compatibleSince: 4, sql: nodeURLs),
        SchemaMigration(number: 6, name: "documents", compatibleSince: 4, sql: documents),
        SchemaMigration(number: 7, name: "mail", compatibleSince: 4, sql: mail),
        SchemaMigration(number: 8, name: "audit", compatibleSince: 4, sql: audit + "\n" + auditTriggers),
        SchemaMigration(number: 9, name: "timeline", compatibleSince: 4, sql: timeline),
        SchemaMigration(number: 10, name: "administration", compatibleSince: 4, sql: administration),
    ]

    /// The name of the migration that every state has.
    static let baseline = "1 state"

    private static let state =
        [
            sessions, receipts, purchases, deliveries, push, accounts, generations, pinCodes, sharedFacts, retention,
            firstItemNumber(SaleItem.firstAssigned - 1),
        ].joined(separator: "\n")

    static let migrator = makeMigrator(of: migrations)

    static func makeMigrator(of migrations: [SchemaMigration]) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for migration in migrations {
            migrator.registerMigration(migration.identifier) { db in try db.execute(sql: migration.sql) }
        }
        return migrator
    }

    /// Applies the missing migrations. Another process may do so at the same time.
    static func migrate(_ writer: some DatabaseWriter) throws {
        var applied = -1
        while true {
            let before = applied
            applied = try writer.read(migrator.appliedMigrations).count
            do {
                return try migrator.migrate(writer)
            } catch {
                // The other process applied a migration between the check and the transaction.
                guard applied > before else { throw error }
            }
        }
    }

    /// Checks that this release may use the tables.
    ///
    /// - Throws: `NewerSchema` with the migrations that require a newer release.
    static func rejectIncompatible(_ db: Database) throws {
        let unknown = try migrator.appliedIdentifiers(db).subtracting(migrator.migrations)
        if unknown.isEmpty { return }
        var since: [Int64: Int64] = [:]
        if try db.tableExists("schema_compatibility") {
            for row in try Row.fetchAll(db, sql: "SELECT version, since FROM schema_compatibility") {
                since[row[0]] = row[1]
            }
        }
        let rejected = SchemaCompatibility.rejected(
            unknown.map { SchemaCompatibility.Unknown(number: number(of: $0), name: $0) },
            since: since, version: migrations.last?.number ?? 0)
        guard rejected.isEmpty else { throw NewerSchema(unknown: rejected) }
    }

    /// Returns the number of a migration of any release; 0 if its name has none.
    static func number(of identifier: String) -> Int64 { Int64(identifier.prefix { $0 != " " }) ?? 0 }
}
