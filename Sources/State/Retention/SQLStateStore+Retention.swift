public import Foundation
public import Gatefold
import Primitives
import Synchronization

extension SQLStateStore {
    /// The retention in seconds of rejected receipts and of the names of received notifications. Rejected receipts
    /// expire because any client can send them. No store repeats a notification after this time.
    private static let purchaseRetention: TimeInterval = 90 * 86_400
    private static let interval: TimeInterval = 3600
    /// The time in seconds for which links and sessions of the console that have expired are listed.
    private static let endedSignInLifetime: TimeInterval = 30 * 86_400
    /// The number of rows per deletion. It bounds the time that other writers wait.
    private static let batch = 1_000
    /// The number of deletions per call. It bounds the time until a follower discards what was deleted.
    private static let maxBatches = 20

    public func record(_ bounds: TokenBounds, of publication: PublicationID) async throws {
        try await database.write { db in
            _ = try self.now(db)
            let known = try TokenBoundsRow.bounds(db, of: publication)
            let joined = known?.joined(with: bounds) ?? bounds
            if joined != known { try TokenBoundsRow.write(db, joined, of: publication) }
        }
    }

    public func maintain() async throws -> [PublicationID: Date] {
        try await database.maintain()
        let (isDue, hasJumped) = timing.withLock { timing in
            let elapsed = clock.elapsed
            let hasJumped = timing.seen.map { clock.now.timeIntervalSince($0) > Self.interval } ?? true
            let isDue = timing.pruned.map { elapsed - $0 >= Self.interval } ?? true
            return (isDue, hasJumped)
        }
        guard isDue || hasJumped else { return [:] }
        // The store clock is advanced even if no pruning is due, because a token that was sealed while the clock
        // was ahead remains valid longer.
        let timestamp = try await database.write { db in try self.now(db).timestamp }
        guard isDue else { return [:] }
        let seconds = timestamp.timeIntervalSince1970
        let oldest = seconds - Self.purchaseRetention - StoreClock.margin
        let oldestErasure = try await seconds - maxTokenTime()
        var batches = Self.maxBatches
        guard try await pruneRevocations(at: timestamp, &batches),
            try await prune("known_device", "digest", "seen < ?", before: seconds - knownDeviceLifetime, &batches),
            try await prune(
                "receipt", "id", "status = 'rejected' AND settled < ? AND \(ReceiptRow.isUnclaimed)", before: oldest,
                &batches),
            try await prune("store_event", "store, id", "received < ?", before: oldest, &batches),
            try await pruneTimeline(at: seconds, &batches),
            try await prune("erased_reader", "subject", "seen < ?", before: oldestErasure, &batches),
            try await prune(
                "timeline_writer", "id", "written < ?", before: seconds - Self.timelineWriterLifetime, &batches),
            try await prune("rate_counter", "key", "empty_at < ?", before: seconds, &batches),
            // Leases, e-mails, outcomes and documents are compared by the clock that set their times. The mark of an unfinished copy is a lease
            // that ends at 0.
            try await prune(
                "lease", "name", "ends > 0 AND ends < ?", before: clock.now.timeIntervalSince1970 - Self.interval,
                &batches),
            try await prune("mail", "id", "ends < ?", before: clock.now.timeIntervalSince1970, &batches),
            try await prune(
                "admin_outcome", "id", "begun < ?",
                before: clock.now.timeIntervalSince1970 - AdminOutcome.lifetime, &batches),
            try await prune(
                "admin_token", "id", "expires < ? AND (id LIKE 'link-%' OR id LIKE 'console-%')",
                before: clock.now.timeIntervalSince1970 - Self.endedSignInLifetime, &batches),
            try await pruneDocuments(at: clock.now, &batches)
        else {
            // The next call continues.
            return [:]
        }
        timing.withLock { $0.pruned = clock.elapsed }
        return try await database.read { db in try TokenBoundsRow.prunedUntil(db) }
    }

    /// Returns the store's clock, advanced to the present, in a transaction that may write.
    func now(_ db: any StateTransaction) throws -> StoreClock {
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
    func expiry(_ db: any StateTransaction, of publication: PublicationID, before: Date, at clock: StoreClock) throws
        -> Date
    {
        let lifetime = (try TokenBoundsRow.bounds(db, of: publication) ?? .unknown).lifetime
        return max(before, clock.latest).addingTimeInterval(lifetime)
    }

    /// - Parameter batches: The number of deletions that this call may still make.
    /// - Returns: False if rows are left.
    private func pruneRevocations(at timestamp: Date, _ batches: inout Int) async throws -> Bool {
        let publications = try await database.read { db in
            try db.allTexts("SELECT DISTINCT publication FROM revocation")
        }
        for publication in publications.compactMap({ PublicationID($0) }) {
            while try await !hasPrunedAll(in: publication, at: timestamp) {
                batches -= 1
                if batches <= 0 { return false }
            }
        }
        return true
    }

    private func hasPrunedAll(in publication: PublicationID, at timestamp: Date) async throws -> Bool {
        try await database.write { db -> Bool in
            // Read again for each batch, because the bounds may have grown meanwhile.
            guard let bounds = try TokenBoundsRow.bounds(db, of: publication) else { return true }
            let oldest = timestamp.addingTimeInterval(-bounds.afterExpiry - StoreClock.margin)
            return try Self.delete(db, in: publication, expiredBy: oldest)
        }
    }

    /// Deletes one batch of revocations.
    ///
    /// - Returns: True if none are left.
    private static func delete(_ db: any StateTransaction, in publication: PublicationID, expiredBy oldest: Date) throws
        -> Bool
    {
        let deleted = try db.rows(
            """
            DELETE FROM revocation WHERE sequence IN (
                SELECT sequence FROM revocation WHERE publication = ? AND expires < ? LIMIT \(batch))
            RETURNING expires
            """, [publication.rawValue, oldest.timeIntervalSince1970])
        guard let latest = try deleted.map({ try StateRow.date($0, 0, "revocation").timeIntervalSince1970 }).max()
        else { return true }
        try db.execute(
            "UPDATE token_bounds SET pruned_until = ? WHERE publication = ? AND pruned_until < ?",
            [latest, publication.rawValue, latest])
        return deleted.count < batch
    }

    /// Deletes the rows that match a condition in batches. The condition is repeated, because PostgreSQL reads a row again
    /// that another transaction has changed after the inner query, and then evaluates only the outer condition.
    ///
    /// - Returns: False if rows are left.
    private func prune(
        _ table: String, _ key: String, _ condition: String, before seconds: TimeInterval, _ batches: inout Int
    ) async throws -> Bool {
        while true {
            let count = try await database.write(.statements) { db in
                try db.execute(
                    """
                    DELETE FROM \(table) WHERE (\(key)) IN (
                        SELECT \(key) FROM \(table) WHERE \(condition) LIMIT \(Self.batch))
                        AND \(condition)
                    """, [seconds, seconds])
            }
            if count < Self.batch { return true }
            batches -= 1
            if batches <= 0 { return false }
        }
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
