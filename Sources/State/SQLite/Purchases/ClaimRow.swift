import Foundation
import GRDB
import Gatefold

/// Rows of table claim.
enum ClaimRow {
    /// Whether a row that is called `c` is of one of the person's owners; takes the person twice. A question that begins
    /// with these rows, and joins others to them by key, costs what this person has, not what everybody has.
    static let isOfPerson = "c.owner IN (\(PersonRow.members))"

    /// Whether the rule lets the owner, if there is one, claim all these purchases.
    static func allows(
        _ db: Database, _ rule: ClaimRule, _ owner: PurchaseOwner?, _ purchases: Set<PurchaseKey>
    ) throws -> Bool {
        guard let owner else { return true }
        let person = try PersonRow.person(db, of: owner)
        return try purchases.allSatisfy { purchase in
            try persons(db, claiming: purchase, besides: person) < rule.mostPersons || has(db, person, purchase)
        }
    }

    /// How many persons other than this one claim a purchase.
    static func persons(_ db: Database, claiming purchase: PurchaseKey, besides person: Data) throws -> Int {
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

    /// Whether one of the person's owners claims the purchase.
    static func has(_ db: Database, _ person: Data, _ purchase: PurchaseKey) throws -> Bool {
        try Bool.fetchOne(
            try db.cachedStatement(
                sql: """
                    SELECT EXISTS (
                        SELECT 1 FROM claim WHERE store = ? AND original = ? AND owner IN (\(PersonRow.members)))
                    """),
            arguments: [purchase.store.rawValue, purchase.original, person, person]) ?? false
    }

    /// Whether the owner claimed it under its own name.
    static func isOwn(_ db: Database, _ owner: PurchaseOwner, _ purchase: PurchaseKey) throws -> Bool {
        try Bool.fetchOne(
            try db.cachedStatement(
                sql: "SELECT EXISTS (SELECT 1 FROM claim WHERE store = ? AND original = ? AND owner = ?)"),
            arguments: [purchase.store.rawValue, purchase.original, Data(owner.bytes)]) ?? false
    }

    static func insert(
        _ db: Database, _ purchase: PurchaseKey, _ owner: PurchaseOwner, receipt: ReceiptRecord.ID, at moment: Date
    ) throws {
        let seconds = moment.timeIntervalSince1970
        try db.execute(
            sql: """
                INSERT INTO claim (store, original, owner, claimed, receipt, proven) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (store, original, owner) DO UPDATE SET receipt = excluded.receipt, proven = excluded.proven
                """,
            arguments: [
                purchase.store.rawValue, try StateText.storable(purchase.original, "claim"), Data(owner.bytes), seconds,
                receipt.rawValue, seconds,
            ])
    }
}
