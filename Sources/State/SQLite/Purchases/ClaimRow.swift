import Commerce
import Foundation
import GRDB
import Gatefold

/// Rows of the table `claim`.
enum ClaimRow {
    /// The condition that a row aliased `c` belongs to one of the person's owners. It takes the person twice as an
    /// argument. A query that starts with these rows and joins others by key costs in proportion to this person's
    /// rows, not to all rows.
    static let belongsToPerson = "c.owner IN (\(PersonRow.members))"

    /// Returns whether the rule lets the owner, if any, claim all given purchases.
    static func allows(
        _ db: Database, _ rule: ClaimRule, _ owner: PurchaseOwner?, _ purchases: Set<PurchaseKey>
    ) throws -> Bool {
        guard let owner else { return true }
        let person = try PersonRow.person(db, of: owner)
        return try purchases.allSatisfy { purchase in
            try persons(db, claiming: purchase, excluding: person) < rule.maxPersons || has(db, person, purchase)
        }
    }

    /// Returns the number of other persons that claim a purchase.
    static func persons(_ db: Database, claiming purchase: PurchaseKey, excluding person: Data) throws -> Int {
        try Int.fetchOne(
            try db.cachedStatement(
                sql: """
                    SELECT count(DISTINCT coalesce(l.subscriber, c.owner)) FROM claim c
                    LEFT JOIN owner_link l ON l.owner = c.owner
                    WHERE c.store = ? AND c.original = ? AND coalesce(l.subscriber, c.owner) <> ?
                    """),
            arguments: [
                purchase.store.rawValue, try StateText.storable(purchase.original, "claim"), person,
            ]) ?? 0
    }

    /// Returns whether one of the person's owners claims the purchase.
    static func has(_ db: Database, _ person: Data, _ purchase: PurchaseKey) throws -> Bool {
        try Bool.fetchOne(
            try db.cachedStatement(
                sql: """
                    SELECT EXISTS (
                        SELECT 1 FROM claim WHERE store = ? AND original = ? AND owner IN (\(PersonRow.members)))
                    """),
            arguments: [purchase.store.rawValue, purchase.original, person, person]) ?? false
    }

    /// Returns whether the owner claimed the purchase under its own name.
    static func isOwn(_ db: Database, _ owner: PurchaseOwner, _ purchase: PurchaseKey) throws -> Bool {
        try Bool.fetchOne(
            try db.cachedStatement(
                sql: "SELECT EXISTS (SELECT 1 FROM claim WHERE store = ? AND original = ? AND owner = ?)"),
            arguments: [purchase.store.rawValue, purchase.original, Data(owner.bytes)]) ?? false
    }

    static func insert(
        _ db: Database, _ purchase: PurchaseKey, _ owner: PurchaseOwner, receipt: ReceiptRecord.ID, at timestamp: Date
    ) throws {
        let seconds = timestamp.timeIntervalSince1970
        try db.execute(
            sql: """
                INSERT INTO claim (store, original, owner, claimed, receipt, verified) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (store, original, owner) DO UPDATE SET receipt = excluded.receipt, verified = excluded.verified
                """,
            arguments: [
                purchase.store.rawValue, try StateText.storable(purchase.original, "claim"), Data(owner.bytes), seconds,
                receipt.rawValue, seconds,
            ])
    }
}
