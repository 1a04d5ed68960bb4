import Foundation
import GRDB
import Gatefold

/// Persons: a subscriber with everybody linked to it, or somebody linked to nobody.
enum PersonRow {
    /// A person's owners; takes the person twice.
    static let members = "SELECT ? UNION SELECT owner FROM owner_link WHERE subscriber = ?"

    /// All owners of all persons one of whose owners claims a purchase; takes its store and its original.
    static let holders = """
        WITH person (id) AS (
            SELECT coalesce(l.subscriber, c.owner) FROM claim c LEFT JOIN owner_link l ON l.owner = c.owner
            WHERE c.store = ? AND c.original = ?)
        SELECT id FROM person
        UNION SELECT l.owner FROM person CROSS JOIN owner_link l ON l.subscriber = person.id
        ORDER BY 1
        """

    /// The owner that stands for the person: the subscriber, or the owner itself.
    static func person(_ db: Database, of owner: PurchaseOwner) throws -> Data {
        let linked = try Data.fetchOne(
            try db.cachedStatement(sql: "SELECT subscriber FROM owner_link WHERE owner = ?"),
            arguments: [Data(owner.bytes)])
        return linked ?? Data(owner.bytes)
    }

    /// Forgets the receipts that prove what another of the person's owners claimed, before one of them leaves: handed in
    /// again they are new ones, and claim what the person no longer has.
    static func forgetUnclaimedReceipts(_ db: Database, _ person: Data) throws {
        try db.execute(
            sql: """
                DELETE FROM receipt WHERE owner IN (\(members)) AND standing = 'proven' AND \(ReceiptRow.isUnclaimed)
                """,
            arguments: [person, person])
    }
}
