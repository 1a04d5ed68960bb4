import Commerce
import Foundation
import Gatefold

/// The capacity for one more receipt that proves nothing yet.
enum ReceiptQuota {
    /// Makes room by deleting rejected receipts of the same owner.
    ///
    /// - Throws: `ReceiptLimitReached`.
    static func make(
        _ db: any StateTransaction, for receipt: IncomingReceipt, within limits: ReceiptLimits, at timestamp: Date
    ) throws {
        if let owner = receipt.owner { try make(db, for: owner, in: receipt.publication, within: limits.perOwner) }
        let publication = receipt.publication.rawValue
        let hour = timestamp.timeIntervalSince1970 - 3600
        guard
            try count(
                db, "publication = ? AND status <> 'verified' AND received > ?", [publication, hour],
                upTo: limits.perHour) < limits.perHour
        else { throw ReceiptLimitReached.perHour }
    }

    /// Returns whether one more receipt may wait for its store.
    static func hasCapacity(_ db: any StateTransaction, in publication: PublicationID, within limits: ReceiptLimits)
        throws -> Bool
    {
        try count(
            db, "publication = ? AND status = 'waiting' AND attempts > 0", [publication.rawValue],
            upTo: limits.pending) < limits.pending
    }

    private static func make(
        _ db: any StateTransaction, for owner: PurchaseOwner, in publication: PublicationID, within limit: Int
    ) throws {
        let ownerArguments: StateArguments = [Data(owner.bytes), publication.rawValue]
        let present = try count(
            db, "owner = ? AND publication = ? AND status <> 'verified'", ownerArguments, upTo: .max)
        guard present >= limit else { return }
        let excess = present - limit + 1
        let changed = try db.execute(
            """
            DELETE FROM receipt WHERE id IN (
                SELECT id FROM receipt WHERE owner = ? AND publication = ? AND status = 'rejected'
                    AND \(ReceiptRow.isUnclaimed)
                ORDER BY settled, id LIMIT ?)
            """, ownerArguments + [excess])
        guard changed == excess else { throw ReceiptLimitReached.perOwner }
    }

    /// Counts rows, but stops at the limit.
    private static func count(
        _ db: any StateTransaction, _ condition: String, _ arguments: StateArguments, upTo limit: Int
    ) throws -> Int {
        try db.count(
            "SELECT count(*) FROM (SELECT 1 FROM receipt WHERE \(condition) LIMIT ?) AS counted", arguments + [limit])
    }
}
