public import Foundation
import GRDB
public import Gatefold
import Primitives
import Synchronization

extension SQLiteStateStore {
    /// The retention in seconds of rejected receipts and of the names of received notifications. Rejected receipts
    /// expire because any client can send them. No store repeats a notification after this time.
    private static let purchaseRetention: TimeInterval = 90 * 86_400
    private static let interval: TimeInterval = 3600
    /// The number of rows per deletion. It bounds the time that other writers wait.
    private static let batch = 1_000

    public func record(_ bounds: TokenBounds, of publication: PublicationID) async throws {
        try await pool.write { db in
            _ = try self.now(db)
            let known = try TokenBoundsRow.bounds(db, of: publication)
            let joined = known?.joined(with: bounds) ?? bounds
            if joined != known { try TokenBoundsRow.write(db, joined, of: publication) }
        }
    }

    public func maintain() async throws -> [PublicationID: Date] {
        let (isDue, hasJumped) = timing.withLock { timing in
            let elapsed = clock.elapsed
            let hasJumped = timing.seen.map { clock.now.timeIntervalSince($0) > Self.interval } ?? true
            let isDue = timing.pruned.map { elapsed - $0 >= Self.interval } ?? true
            return (isDue, hasJumped)
        }
        guard isDue || hasJumped else { return [:] }
        // The store clock is advanced even if no pruning is due, because a token that was sealed while the clock
        // was ahead remains valid longer.
        let timestamp = try await pool.write { db in try self.now(db).timestamp }
        guard isDue else { return [:] }
        try await pruneRevocations(at: timestamp)
        let seconds = timestamp.timeIntervalSince1970
        try await prune("known_device", "digest", "seen < ?", before: seconds - knownDeviceLifetime)
        let oldest = seconds - Self.purchaseRetention - StoreClock.margin
        try await prune(
            "receipt", "id", "status = 'rejected' AND settled < ? AND \(ReceiptRow.isUnclaimed)", before: oldest)
        try await pool.write { db in
            try db.execute(sql: "DELETE FROM store_event WHERE received < ?", arguments: [oldest])
        }
        timing.withLock { $0.pruned = clock.elapsed }
        return try await pool.read { db in try TokenBoundsRow.prunedUntil(db) }
    }

    /// Returns the store's clock, advanced to the present, in a transaction that may write.
    func now(_ db: Database) throws -> StoreClock {
        let recorded = try StoreClockRow.clock(db)
        let wall = clock.now
        let advanced = timing.withLock { timing in
            timing.seen = max(timing.seen ?? wall, wall)
            return timing.reader.advance(recorded ?? StoreClock(timestamp: wall, latest: wall), by: clock)
        }
        try StoreClockRow.write(db, advanced, recorded: recorded)
        return advanced
    }

    /// Returns the time at which every token ended by a revocation with this boundary has expired.
    func expiry(_ db: Database, of publication: PublicationID, before: Date, at clock: StoreClock) throws -> Date {
        let lifetime = (try TokenBoundsRow.bounds(db, of: publication) ?? .unknown).lifetime
        return max(before, clock.latest).addingTimeInterval(lifetime)
    }

    private func pruneRevocations(at timestamp: Date) async throws {
        let publications = try await pool.read { db in
            try String.fetchAll(db, sql: "SELECT DISTINCT publication FROM revocation")
        }
        for publication in publications.compactMap({ PublicationID($0) }) {
            while try await !hasPrunedAll(in: publication, at: timestamp) {}
        }
    }

    private func hasPrunedAll(in publication: PublicationID, at timestamp: Date) async throws -> Bool {
        try await pool.write { db -> Bool in
            // Read again for each batch, because the bounds may have grown meanwhile.
            guard let bounds = try TokenBoundsRow.bounds(db, of: publication) else { return true }
            let oldest = timestamp.addingTimeInterval(-bounds.afterExpiry - StoreClock.margin)
            return try Self.delete(db, in: publication, expiredBy: oldest)
        }
    }

    /// Deletes one batch of revocations.
    ///
    /// - Returns: True if none are left.
    private static func delete(_ db: Database, in publication: PublicationID, expiredBy oldest: Date) throws -> Bool {
        let rows = try Row.fetchAll(
            db, sql: "SELECT sequence, expires FROM revocation WHERE publication = ? AND expires < ? LIMIT \(batch)",
            arguments: [publication.rawValue, oldest.timeIntervalSince1970])
        guard let latest = rows.compactMap({ $0[1] as Double? }).max() else { return true }
        let numbers = rows.compactMap { ($0[0] as Int64?).map { "\($0)" } }.joined(separator: ", ")
        try db.execute(sql: "DELETE FROM revocation WHERE sequence IN (\(numbers))")
        try db.execute(
            sql: "UPDATE token_bounds SET pruned_until = max(pruned_until, ?) WHERE publication = ?",
            arguments: [latest, publication.rawValue])
        return rows.count < batch
    }

    private func prune(_ table: String, _ key: String, _ condition: String, before seconds: TimeInterval) async throws {
        var count: Int
        repeat {
            count = try await pool.write { db in
                try db.execute(
                    sql: """
                        DELETE FROM \(table) WHERE \(key) IN (
                            SELECT \(key) FROM \(table) WHERE \(condition) LIMIT \(Self.batch))
                        """,
                    arguments: [seconds])
                return db.changesCount
            }
        } while count == Self.batch
    }
}

/// The state of one process with regard to the store's clock and its own pruning.
struct StoreTiming {
    var reader = StoreClockReader()
    /// The latest wall-clock time that the store received from this process.
    var seen: Date?
    /// The monotonic time at which this process pruned last.
    var pruned: TimeInterval?
}
