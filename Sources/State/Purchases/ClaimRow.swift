import Commerce
import Foundation
import Gatefold

/// Rows of the table `claim`.
enum ClaimRow {
    /// The condition that a row aliased `c` belongs to one of the person's owners. It takes the person twice as an
    /// argument. A query that starts with these rows and joins others by key costs in proportion to this person's
    /// rows, not to all rows.
    static let belongsToPerson = "c.owner IN (\(PersonRow.members))"

    /// Returns whether the rule lets the owner, if any, claim all given purchases.
    static func allows(
        _ db: any StateTransaction, _ rule: ClaimRule, _ owner: PurchaseOwner?, _ purchases: Set<PurchaseKey>
    ) throws -> Bool {
        guard let owner else { return true }
        let person = try PersonRow.person(db, of: owner)
        return try purchases.allSatisfy { purchase in
            try persons(db, claiming: purchase, excluding: person) < rule.maxPersons || has(db, person, purchase)
        }
    }

    /// Returns the number of other persons that claim a purchase.
    static func persons(_ db: any StateTransaction, claiming purchase: PurchaseKey, excluding person: Data) throws
        -> Int
    {
        try db.count(
            """
            SELECT count(DISTINCT coalesce(l.subscriber, c.owner)) FROM claim c
            LEFT JOIN owner_link l ON l.owner = c.owner
            WHERE c.store = ? AND c.original = ? AND coalesce(l.subscriber, c.owner) <> ?
            """,
            [
                purchase.store.rawValue, try StateText.storable(purchase.original, "claim"), person,
            ])
    }

    /// Returns whether one of the person's owners claims the purchase.
    static func has(_ db: any StateTransaction, _ person: Data, _ purchase: PurchaseKey) throws -> Bool {
        try db.isTrue(
            """
            SELECT EXISTS (
                SELECT 1 FROM claim WHERE store = ? AND original = ? AND owner IN (\(PersonRow.members)))
            """, [purchase.store.rawValue, purchase.original, person, person])
    }

    /// Returns whether the owner claimed the purchase under its own name.
    static func isOwn(_ db: any StateTransaction, _ owner: PurchaseOwner, _ purchase: PurchaseKey) throws -> Bool {
        try db.isTrue(
            "SELECT EXISTS (SELECT 1 FROM claim WHERE store = ? AND original = ? AND owner = ?)",
            [purchase.store.rawValue, purchase.original, Data(owner.bytes)])
    }

    static func insert(
        _ db: any StateTransaction, _ purchase: PurchaseKey, _ owner: PurchaseOwner, receipt: ReceiptRecord.ID,
        at timestamp: Date
    ) throws {
        let seconds = timestamp.timeIntervalSince1970
        try db.execute(
            """
            INSERT INTO claim (store, original, owner, claimed, receipt, verified) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (store, original, owner) DO UPDATE SET receipt = excluded.receipt, verified = excluded.verified
            """,
            [
                purchase.store.rawValue, try StateText.storable(purchase.original, "claim"), Data(owner.bytes), seconds,
                receipt.rawValue, seconds,
            ])
    }
}
