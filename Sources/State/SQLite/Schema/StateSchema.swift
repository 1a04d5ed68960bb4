import GRDB
import Gatefold

/// The tables of the embedded state store, by topic.
///
/// Moments are seconds since 1970. Every statement on these tables is standard SQL or the common part of SQLite and
/// PostgreSQL (`ON CONFLICT (columns)`, `RETURNING`), so that another store can take them over: BLOB is `bytea`, REAL is
/// `double precision`, INTEGER is `bigint`, AUTOINCREMENT an identity column; STRICT and WITHOUT ROWID fall away.
enum StateSchema {
    /// In every state there ever was.
    static let firstMigration = "1 state"

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration(firstMigration) { db in try db.execute(sql: sessions) }
        migrator.registerMigration("2 purchases") { db in
            try db.execute(sql: receipts)
            try db.execute(sql: purchases)
            try db.execute(sql: deliveries)
            try db.execute(sql: push)
        }
        migrator.registerMigration("3 accounts") { db in
            try db.execute(sql: accounts)
            try db.execute(sql: firstItemNumber, arguments: [SoldItem.firstAssigned - 1])
            try db.execute(sql: sparedSessions)
        }
        migrator.registerMigration("4 generations") { db in try db.execute(sql: generations) }
        migrator.registerMigration("5 delivery leases") { db in try db.execute(sql: deliveryLeases) }
        migrator.registerMigration("6 PIN codes") { db in try db.execute(sql: pinCodes) }
        migrator.registerMigration("7 shared facts") { db in try db.execute(sql: sharedFacts) }
        migrator.registerMigration("8 retention") { db in try db.execute(sql: retention) }
        migrator.registerMigration("9 follow-up leases") { db in try db.execute(sql: followUpLeases) }
        return migrator
    }
}
