import Foundation
import GRDB
import Gatefold

/// Rows of table purchase: what follows from the transactions of a purchase, and when its store was asked about it.
enum PurchaseRow {
    static let isPurchase = "store = ? AND original = ?"

    /// Brings a row up to date with its transactions. The store's own word counts as a look, but no later than now: its
    /// clock may be ahead. Having heard of it, there is no more reason to let it rest.
    static func refresh(_ db: Database, _ purchase: PurchaseKey, at moment: Date) throws {
        let all = try TransactionRow.all(db, of: purchase)
        guard let last = StoreTransaction.last(of: all) else {
            // Its transactions turned out to be another's.
            return try db.execute(
                sql: "DELETE FROM purchase WHERE store = ? AND original = ?",
                arguments: [purchase.store.rawValue, purchase.original])
        }
        let told =
            all.flatMap { [$0.told, $0.grace?.told].compactMap(\.self) }
            .map { min($0, moment).timeIntervalSince1970 }.max() ?? 0
        try db.execute(
            sql: """
                INSERT INTO purchase (store, original, environment, bought, ends, looked, rest)
                VALUES (?, ?, ?, ?, ?, ?, 0)
                ON CONFLICT (store, original) DO UPDATE SET
                    environment = excluded.environment, bought = excluded.bought, ends = excluded.ends,
                    looked = CASE WHEN excluded.looked > purchase.looked THEN excluded.looked ELSE purchase.looked END,
                    rest = CASE WHEN excluded.looked > purchase.looked THEN 0 ELSE purchase.rest END
                """,
            arguments: [
                purchase.store.rawValue, purchase.original, last.environment.rawValue,
                last.purchased.timeIntervalSince1970, last.ends?.timeIntervalSince1970, told,
            ])
    }

    static func looked(_ db: Database, _ purchase: PurchaseKey, at moment: Date) throws {
        try db.execute(
            sql: """
                UPDATE purchase SET looked = ?, rest = 0, lease = NULL WHERE \(isPurchase) AND looked < ?
                """,
            arguments: [
                moment.timeIntervalSince1970, purchase.store.rawValue, purchase.original, moment.timeIntervalSince1970,
            ])
    }
}
