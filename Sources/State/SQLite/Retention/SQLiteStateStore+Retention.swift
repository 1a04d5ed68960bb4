public import Foundation
import GRDB
public import Gatefold
import Synchronization

extension SQLiteStateStore {
    /// For so long, in seconds, refused receipts and the names of messages taken in are kept. Anybody can send what is
    /// refused, and no store repeats a message for so long.
    private static let purchaseRetention: TimeInterval = 90 * 86_400
    private static let interval: TimeInterval = 3600
    /// As many rows are deleted at once: whoever wants to write meanwhile waits no longer than that takes.
    private static let batch = 1_000

    public func note(_ bounds: TokenBounds, of publication: PublicationID) async throws {
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
        // What a clock that is ahead sealed is good for longer.
        let moment = try await pool.write { db in try self.now(db).moment }
        guard isDue else { return [:] }
        try await pruneRevocations(at: moment)
        let seconds = moment.timeIntervalSince1970
        try await prune("acquaintance", "digest", "seen < ?", before: seconds - acquaintanceLifetime)
        let oldest = seconds - Self.purchaseRetention - StoreClock.margin
        try await prune(
            "receipt", "id", "standing = 'refused' AND settled < ? AND \(ReceiptRow.isUnclaimed)", before: oldest)
        try await pool.write { db in
            try db.execute(sql: "DELETE FROM store_event WHERE taken < ?", arguments: [oldest])
        }
        timing.withLock { $0.pruned = clock.elapsed }
        return try await pool.read { db in try TokenBoundsRow.forgotten(db) }
    }

    /// The store's clock, read and advanced in a transaction that may write.
    func now(_ db: Database) throws -> StoreClock {
        let recorded = try StoreClockRow.clock(db)
        let wall = clock.now
        let advanced = timing.withLock { timing in
            timing.seen = max(timing.seen ?? wall, wall)
            return timing.reader.advance(recorded ?? StoreClock(moment: wall, latest: wall), by: clock)
        }
        try StoreClockRow.write(db, advanced, recorded: recorded)
        return advanced
    }

    /// When no token that a revocation of this boundary ends is good any more.
    func expiry(_ db: Database, of publication: PublicationID, before: Date, at clock: StoreClock) throws -> Date {
        let lifetime = (try TokenBoundsRow.bounds(db, of: publication) ?? .unknown).lifetime
        return max(before, clock.latest).addingTimeInterval(lifetime)
    }

    private func pruneRevocations(at moment: Date) async throws {
        let publications = try await pool.read { db in
            try String.fetchAll(db, sql: "SELECT DISTINCT publication FROM revocation")
        }
        for publication in publications.compactMap({ PublicationID($0) }) {
            while try await !hasForgottenAll(in: publication, at: moment) {}
        }
    }

    private func hasForgottenAll(in publication: PublicationID, at moment: Date) async throws -> Bool {
        try await pool.write { db -> Bool in
            // Asked anew each time: a window may have been lengthened meanwhile.
            guard let bounds = try TokenBoundsRow.bounds(db, of: publication) else { return true }
            let oldest = moment.addingTimeInterval(-bounds.afterExpiry - StoreClock.margin)
            return try Self.forget(db, in: publication, expiredBy: oldest)
        }
    }

    /// - Returns: whether there are no more.
    private static func forget(_ db: Database, in publication: PublicationID, expiredBy oldest: Date) throws -> Bool {
        let rows = try Row.fetchAll(
            db, sql: "SELECT sequence, expires FROM revocation WHERE publication = ? AND expires < ? LIMIT \(batch)",
            arguments: [publication.rawValue, oldest.timeIntervalSince1970])
        guard let latest = rows.compactMap({ $0[1] as Double? }).max() else { return true }
        let numbers = rows.compactMap { ($0[0] as Int64?).map { "\($0)" } }.joined(separator: ", ")
        try db.execute(sql: "DELETE FROM revocation WHERE sequence IN (\(numbers))")
        try db.execute(
            sql: "UPDATE token_bounds SET forgotten = max(forgotten, ?) WHERE publication = ?",
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

/// What one process knows of the store's clock and of its own pruning.
struct StoreTiming {
    var reader = StoreClockReader()
    /// The latest moment of the wall clock that the store was told.
    var seen: Date?
    /// When this process pruned last, by the clock that nobody sets.
    var pruned: TimeInterval?
}
