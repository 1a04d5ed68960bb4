import Foundation
import Gatefold
import Synchronization

extension SQLStateStore {
    /// The time in seconds after which a process that wrote no event is forgotten.
    static let timelineWriterLifetime: TimeInterval = 7 * 86_400

    /// Deletes old events, and the readers without events.
    ///
    /// - Parameters:
    ///   - now: The store's time in seconds since 1970.
    ///   - batches: The number of deletions that this call may still make.
    /// - Returns: False if rows are left.
    func pruneTimeline(at now: TimeInterval, _ batches: inout Int) async throws -> Bool {
        let retention = timelineRetention.withLock(\.self)
        for category in TimelineCategory.allCases {
            var oldest = now - retention.time
            if category == .unverified {
                let beyond = try await database.read { db in
                    try db.real(TimelineStatements.oldest, [category.rawValue, retention.maxUnverified])
                }
                // The entry beyond the limit itself is deleted, too.
                oldest = max(oldest, now - retention.unverifiedTime, beyond.map(\.nextUp) ?? -.infinity)
            }
            while try await !hasPrunedAll(category, before: oldest) {
                batches -= 1
                if batches <= 0 { return false }
            }
        }
        return true
    }

    /// Deletes one batch of events.
    ///
    /// - Returns: True if none are left.
    private func hasPrunedAll(_ category: TimelineCategory, before oldest: TimeInterval) async throws -> Bool {
        try await database.write(Self.timelineLock) { db in
            let subjects = try db.allBytes(TimelineStatements.prune, [category.rawValue, oldest])
            try StatementPart.each(of: Array(Set(subjects))) { subjects in
                try db.execute(TimelineStatements.forgetReaders(subjects.count), subjects)
            }
            return subjects.count < TimelineStatements.batch
        }
    }

    /// Returns the time in seconds for which a token of an erased reader may cause events, by the bounds of all publications.
    func maxTokenTime() async throws -> TimeInterval {
        let limit = try await database.read { db in
            try db.real("SELECT max(lifetime + after_expiry) FROM token_bounds")
        }
        return (limit ?? TokenBounds.unknown.lifetime + TokenBounds.unknown.afterExpiry) + StoreClock.margin
    }
}
