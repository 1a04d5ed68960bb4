public import Foundation
public import Gatefold
import Primitives

extension SQLStateStore {
    public func charge(_ counters: [SharedCounter], window: TimeInterval) async throws -> [SharedCounterLevel] {
        if counters.isEmpty { return [] }
        // In the order of the keys, so that two nodes never wait for each other.
        let ordered = counters.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        let levels = try await database.write(.statements) { db in
            let now = self.clock.now.timeIntervalSince1970
            var levels = try Self.levels(
                db.rows(Self.charge(ordered.count), Self.arguments(ordered, window, at: now)), at: now
            )
            .mapValues { SharedCounterLevel(debt: $0, hadRoom: true) }
            let full = ordered.filter { levels[$0.key] == nil }
            if !full.isEmpty {
                for (key, debt) in try Self.levels(db, of: full, at: now) {
                    levels[key] = SharedCounterLevel(debt: debt, hadRoom: false)
                }
            }
            return levels
        }
        // A row that another node deleted in between was full a moment ago.
        return counters.map { levels[$0.key] ?? SharedCounterLevel(debt: window, hadRoom: false) }
    }

    public func levels(of counters: [SharedCounter], window: TimeInterval) async throws -> [SharedCounterLevel] {
        if counters.isEmpty { return [] }
        let ordered = counters.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        return try await database.write(.statements) { db in
            let now = self.clock.now.timeIntervalSince1970
            // An update without a change, which waits for the transactions that are counting.
            let debts = try Self.levels(
                db.rows(
                    """
                    INSERT INTO rate_counter AS known (key, empty_at) VALUES \(Self.rows(ordered.count))
                    ON CONFLICT (key) DO UPDATE SET empty_at = known.empty_at
                    RETURNING key, empty_at + 0.0
                    """, ordered.flatMap { [Data($0.key), now] as StateArguments }), at: now)
            return counters.map { counter in
                let debt = debts[counter.key].map { $0 > window + Self.implausible ? 0 : max(0, $0) } ?? 0
                return SharedCounterLevel(
                    debt: debt, hadRoom: debt + counter.cost(in: window) <= window + Self.tolerance)
            }
        }
    }

    public func emptyCounters(_ keys: [[UInt8]]) async throws {
        if keys.isEmpty { return }
        try await database.write(.statements) { db in
            try db.execute(
                "DELETE FROM rate_counter WHERE key IN (\(Self.placeholders(keys.count)))", keys.map { Data($0) })
        }
    }

    public func count(
        in slots: [[UInt8]], window: TimeInterval, pause: TimeInterval
    ) async throws -> TimeInterval? {
        try await database.write(.locked(StateLock("pace", Data(slots.first ?? [])))) { db in
            let now = self.clock.now.timeIntervalSince1970
            let known = try Self.levels(db, of: slots.map { SharedCounter(key: $0, limit: 1) }, at: now)
            let debts = slots.map { slot in known[slot].map { $0 > window + Self.implausible ? 0 : max(0, $0) } ?? 0 }
            // The slot of the last event has been in use for less than the pause, or all slots are in use.
            let wait = max((debts.max() ?? 0) - window + pause, debts.min() ?? 0)
            if wait > Self.tolerance { return wait }
            guard let (slot, _) = zip(slots, debts).min(by: { $0.1 < $1.1 }) else { return nil }
            try db.execute(
                """
                INSERT INTO rate_counter (key, empty_at) VALUES (?, ?)
                ON CONFLICT (key) DO UPDATE SET empty_at = excluded.empty_at
                """, [Data(slot), now + window])
            return nil
        }
    }

    /// The tolerance in seconds for the rounding error of a sum of fractions.
    private static let tolerance: TimeInterval = 0.000_1
    /// The number of seconds beyond the window that show that a row was written before the clock was set back. Such a row
    /// counts as empty.
    private static let implausible: TimeInterval = 60

    /// Returns the statement that counts an event with a number of counters. It returns the rows of those with room.
    /// SQLite's RETURNING passes a whole number of a REAL column as an integer, unless it is calculated with.
    private static func charge(_ count: Int) -> String {
        """
        INSERT INTO rate_counter AS known (key, empty_at) VALUES \(rows(count))
        ON CONFLICT (key) DO UPDATE SET empty_at = CASE
            WHEN known.empty_at > ? AND known.empty_at <= ? THEN known.empty_at + (excluded.empty_at - ?)
            ELSE excluded.empty_at END
        WHERE known.empty_at + (excluded.empty_at - ?) <= ? OR known.empty_at > ?
        RETURNING key, empty_at + 0.0
        """
    }

    private static func rows(_ count: Int) -> String {
        Array(repeating: "(?, ?)", count: count).joined(separator: ", ")
    }

    private static func arguments(
        _ counters: [SharedCounter], _ window: TimeInterval, at now: TimeInterval
    ) -> StateArguments {
        let rows: [[any StateValueConvertible]] = counters.map { [Data($0.key), now + $0.cost(in: window)] }
        let end = now + window
        return rows.flatMap(\.self) + [now, end + implausible, now, now, end + tolerance, end + implausible]
    }

    /// Returns the number of seconds until each counter of a result is empty.
    private static func levels(_ rows: [StateRow], at now: TimeInterval) throws -> [[UInt8]: TimeInterval] {
        try rows.reduce(into: [:]) { levels, row in
            levels[Array(try StateRow.bytes(row, 0, table))] =
                try StateRow.date(row, 1, table).timeIntervalSince1970 - now
        }
    }

    private static func levels(
        _ db: any StateTransaction, of counters: [SharedCounter], at now: TimeInterval
    ) throws -> [[UInt8]: TimeInterval] {
        try levels(
            db.rows(
                "SELECT key, empty_at FROM rate_counter WHERE key IN (\(placeholders(counters.count)))",
                counters.map { Data($0.key) }), at: now)
    }

    private static let table = "rate_counter"
}
