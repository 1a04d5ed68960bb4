import Foundation
import GRDB
import Synchronization

extension SQLiteStateStore {
    /// For so long, in seconds, refused receipts and the names of messages taken in are kept. Anybody can send what is
    /// refused, and no store repeats a message for so long.
    private static let retention: TimeInterval = 90 * 86_400
    private static let pruningInterval: TimeInterval = 3600

    /// Forgets what is long over, once an hour.
    func pruneIfTime(_ moment: Date) async throws {
        let isTime = prunedPurchases.withLock { pruned in
            guard moment.timeIntervalSince(pruned) >= Self.pruningInterval else { return false }
            pruned = moment
            return true
        }
        guard isTime else { return }
        let oldest = moment.timeIntervalSince1970 - Self.retention
        try await pool.write { db in
            try db.execute(
                sql: """
                    DELETE FROM receipt WHERE standing = 'refused' AND settled < ? AND \(ReceiptRow.isUnclaimed)
                    """,
                arguments: [oldest])
            try db.execute(sql: "DELETE FROM store_event WHERE taken < ?", arguments: [oldest])
        }
    }
}
