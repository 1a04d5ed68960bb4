import Accounts
import GRDB

/// The tables of the embedded state store, by topic.
///
/// Times are seconds since 1970. Every statement on these tables is standard SQL or the common part of SQLite and
/// PostgreSQL (`ON CONFLICT (columns)`, `RETURNING`), so that another store can use them: BLOB is `bytea`, REAL is
/// `double precision`, INTEGER is `bigint`, AUTOINCREMENT an identity column. STRICT and WITHOUT ROWID are left out.
///
/// A migration never changes once a release has it. `Fixtures/Migrations` has a database of each past schema, and tests open them.
enum StateSchema {
    /// The migration that every state has.
    static let baseline = "1 state"

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration(baseline) { db in
            for tables in [
                sessions, receipts, purchases, deliveries, push, accounts, generations, pinCodes, sharedFacts,
                retention,
            ] {
                try db.execute(sql: tables)
            }
            try db.execute(sql: firstItemNumber, arguments: [SaleItem.firstAssigned - 1])
        }
        migrator.registerMigration("2 leases") { db in try db.execute(sql: leases) }
        migrator.registerMigration("3 nodes") { db in try db.execute(sql: counters + "\n" + nodes) }
        migrator.registerMigration("4 node URLs") { db in try db.execute(sql: nodeURLs) }
        return migrator
    }
}
