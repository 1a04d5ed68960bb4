import Foundation
import GRDB
import Synchronization

extension SQLiteStateStore {
    /// For so long, in seconds, refused receipts and the names of messages taken in are kept. Anybody can send what is
    /// refused, and no store repeats a message for so long.
    private static let retention: TimeInterval = 90 * 86_400
    private static let pruningInterval: TimeInterval = 3600

    /// Whether it is time again to forget what is long over.
    func isTimeToPrune(_ moment: Date) -> Bool {
        prunedPurchases.withLock { pruned in
            guard moment.timeIntervalSince(pruned) >= Self.pruningInterval else { return false }
            pruned = moment
            return true
        }
    }

    static func prune(_ db: Database, at moment: Date) throws {
        let oldest = moment.timeIntervalSince1970 - retention
        // One that a claim names was proven once: with it the store is asked about renewals.
        try db.execute(
            sql: """
                DELETE FROM receipt WHERE standing = 'refused' AND settled < ?
                    AND NOT EXISTS (SELECT 1 FROM claim WHERE claim.receipt = receipt.id)
                """,
            arguments: [oldest])
        try db.execute(sql: "DELETE FROM store_event WHERE taken < ?", arguments: [oldest])
    }
}
