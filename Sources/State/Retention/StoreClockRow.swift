import Foundation
import Gatefold

/// The single row with the store's clock.
enum StoreClockRow {
    private static let table = "store_clock"
    /// The minimum change in seconds of the clock that is written. A smaller change is negligible compared with the
    /// margin.
    private static let step: TimeInterval = 60

    static func clock(_ db: any StateTransaction) throws -> StoreClock? {
        try db.row("SELECT reading, latest FROM store_clock WHERE id = 1").map { row in
            StoreClock(timestamp: try StateRow.date(row, 0, table), latest: try StateRow.date(row, 1, table))
        }
    }

    /// Records that sessions may count as issued until the given timestamp. Sessions opened in the second of a
    /// revocation do, and that timestamp can be in the future.
    static func record(_ db: any StateTransaction, issuedUntil timestamp: Date) throws {
        try db.execute(
            "UPDATE store_clock SET latest = ? WHERE id = 1 AND latest < ?",
            [timestamp.timeIntervalSince1970, timestamp.timeIntervalSince1970])
    }

    /// Writes the clock if it differs enough from the recorded value.
    static func write(_ db: any StateTransaction, _ clock: StoreClock, recorded: StoreClock?) throws {
        if let recorded, clock.timestamp.timeIntervalSince(recorded.timestamp) < step,
            clock.latest.timeIntervalSince(recorded.latest) < step
        {
            return
        }
        try db.execute(
            """
            INSERT INTO store_clock (id, reading, latest) VALUES (1, ?, ?)
            ON CONFLICT (id) DO UPDATE SET
                reading = CASE WHEN excluded.reading > store_clock.reading THEN excluded.reading ELSE store_clock.reading END,
                latest = CASE WHEN excluded.latest > store_clock.latest THEN excluded.latest ELSE store_clock.latest END
            """, [clock.timestamp.timeIntervalSince1970, clock.latest.timeIntervalSince1970])
    }
}
