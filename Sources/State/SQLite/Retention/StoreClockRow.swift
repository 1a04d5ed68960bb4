import Foundation
import GRDB
import Gatefold

/// The one row with the store's clock.
enum StoreClockRow {
    private static let table = "store_clock"
    /// A clock that moved by less is not written down: this much is nothing beside the margin.
    private static let step: TimeInterval = 60

    static func clock(_ db: Database) throws -> StoreClock? {
        try Row.fetchOne(
            try db.cachedStatement(sql: "SELECT moment, latest FROM store_clock WHERE id = 1")
        ).map { row in
            StoreClock(moment: try StateRow.date(row, 0, table), latest: try StateRow.date(row, 1, table))
        }
    }

    /// Notes that sessions may count as issued up to a moment: those opened in the second of a revocation do, and that can lie
    /// ahead.
    static func note(_ db: Database, issuedUntil moment: Date) throws {
        try db.execute(
            sql: "UPDATE store_clock SET latest = ? WHERE id = 1 AND latest < ?",
            arguments: [moment.timeIntervalSince1970, moment.timeIntervalSince1970])
    }

    /// Writes the clock down where it differs from what is on record.
    static func write(_ db: Database, _ clock: StoreClock, recorded: StoreClock?) throws {
        if let recorded, clock.moment.timeIntervalSince(recorded.moment) < step,
            clock.latest.timeIntervalSince(recorded.latest) < step
        {
            return
        }
        try db.execute(
            sql: """
                INSERT INTO store_clock (id, moment, latest) VALUES (1, ?, ?)
                ON CONFLICT (id) DO UPDATE SET moment = excluded.moment, latest = excluded.latest
                """,
            arguments: [clock.moment.timeIntervalSince1970, clock.latest.timeIntervalSince1970])
    }
}
