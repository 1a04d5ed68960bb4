import Foundation
import GRDB
import Gatefold

/// Persons: a subscriber with everybody linked to it, or somebody linked to nobody.
enum PersonRow {
    /// A person's owners; takes the person twice.
    static let members = "SELECT ? UNION SELECT owner FROM owner_link WHERE subscriber = ?"

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
