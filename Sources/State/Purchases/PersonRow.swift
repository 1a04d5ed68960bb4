import Foundation
import Gatefold

/// Persons: a subscriber with all owners linked to it, or an owner without links.
enum PersonRow {
    /// The query for a person's owners. It takes the person twice as an argument.
    static let members = "SELECT ? UNION SELECT owner FROM owner_link WHERE subscriber = ?"

    /// The query for all owners of every person who claims a purchase. It takes the store and the original
    /// transaction.
    static func owners(_ db: any StateTransaction) -> String {
        """
        WITH person (id) AS (
            SELECT coalesce(l.subscriber, c.owner) FROM claim c LEFT JOIN owner_link l ON l.owner = c.owner
            WHERE c.store = ? AND c.original = ?)
        SELECT id FROM person
        UNION SELECT l.owner FROM person \(db.dialect.orderedJoin) owner_link l ON l.subscriber = person.id
        ORDER BY 1
        """
    }

    /// Returns the owner that represents the person: the linked subscriber, or the owner itself.
    static func person(_ db: any StateTransaction, of owner: PurchaseOwner) throws -> Data {
        let linked = try db.bytes("SELECT subscriber FROM owner_link WHERE owner = ?", [Data(owner.bytes)])
        return linked ?? Data(owner.bytes)
    }

    /// Deletes the proven receipts without a claim of their own before one of the person's owners leaves. Such
    /// receipts prove purchases that another owner of the person claimed. A later submission then counts as new,
    /// and claims the purchases that the person has lost.
    static func deleteUnclaimedReceipts(_ db: any StateTransaction, _ person: Data) throws {
        try db.execute(
            """
            DELETE FROM receipt WHERE owner IN (\(members)) AND status = 'verified' AND \(ReceiptRow.isUnclaimed)
            """, [person, person])
    }
}
