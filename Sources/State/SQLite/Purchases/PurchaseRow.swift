import Foundation
import GRDB
import Gatefold

/// Rows of table purchase: what follows from the transactions of a purchase, and when its store was asked about it.
enum PurchaseRow {
    /// Brings a row up to date with its transactions. The store's own word counts as a look, but no later than now: its
    /// clock may be ahead.
    static func refresh(_ db: Database, _ purchase: PurchaseKey, at moment: Date) throws {
        let all = try TransactionRow.all(db, of: purchase)
        let ends = last(of: all).flatMap { $0.revoked == nil ? $0.expires : nil }
        let told = all.map { min($0.told, moment).timeIntervalSince1970 }.max() ?? 0
        try db.execute(
            sql: """
                INSERT INTO purchase (store, original, ends, looked, rest) VALUES (?, ?, ?, ?, 0)
                ON CONFLICT (store, original) DO UPDATE SET
                    ends = excluded.ends,
                    looked = CASE WHEN excluded.looked > purchase.looked THEN excluded.looked ELSE purchase.looked END
                """,
            arguments: [purchase.store.rawValue, purchase.original, ends?.timeIntervalSince1970, told])
    }

    static func looked(_ db: Database, _ purchase: PurchaseKey, at moment: Date) throws {
        try db.execute(
            sql: "UPDATE purchase SET looked = ?, rest = 0 WHERE store = ? AND original = ? AND looked < ?",
            arguments: [
                moment.timeIntervalSince1970, purchase.store.rawValue, purchase.original, moment.timeIntervalSince1970,
            ])
    }

    static func postpone(_ db: Database, _ purchase: PurchaseKey, until moment: Date) throws {
        try db.execute(
            sql: "UPDATE purchase SET rest = ? WHERE store = ? AND original = ?",
            arguments: [moment.timeIntervalSince1970, purchase.store.rawValue, purchase.original])
    }

    /// The last of a purchase's transactions: the one that ends last.
    static func last(of all: [StoreTransaction]) -> StoreTransaction? {
        all.max { left, right in
            let ends = (left.expires ?? .distantPast, right.expires ?? .distantPast)
            return ends.0 == ends.1 ? (left.purchased, left.id) < (right.purchased, right.id) : ends.0 < ends.1
        }
    }
}
