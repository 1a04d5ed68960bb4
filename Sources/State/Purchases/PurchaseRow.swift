import Commerce
import Foundation

/// Rows of the table `purchase`: the summary of a purchase's transactions, and the time of its last verification
/// with the store.
enum PurchaseRow {
    static let isPurchase = "store = ? AND original = ?"

    /// Updates a row from its transactions. A report of the store counts as a verification, but at most as of now,
    /// because the store's clock may be ahead. A newer report also ends the pause before the next verification.
    static func refresh(_ db: any StateTransaction, _ purchase: PurchaseKey, at timestamp: Date) throws {
        let all = try TransactionRow.all(db, of: purchase)
        guard let last = StoreTransaction.last(of: all) else {
            // All transactions turned out to belong to another purchase.
            try db.execute(
                "DELETE FROM purchase WHERE store = ? AND original = ?", [purchase.store.rawValue, purchase.original])
            return
        }
        let reported =
            all.flatMap { [$0.reported, $0.grace?.reported].compactMap(\.self) }
            .map { min($0, timestamp).timeIntervalSince1970 }.max() ?? 0
        try db.execute(
            """
            INSERT INTO purchase (store, original, environment, bought, ends, last_verified, retry_after)
            VALUES (?, ?, ?, ?, ?, ?, 0)
            ON CONFLICT (store, original) DO UPDATE SET
                environment = excluded.environment, bought = excluded.bought, ends = excluded.ends,
                last_verified = CASE WHEN excluded.last_verified > purchase.last_verified THEN excluded.last_verified ELSE purchase.last_verified END,
                retry_after = CASE WHEN excluded.last_verified > purchase.last_verified THEN 0 ELSE purchase.retry_after END
            """,
            [
                purchase.store.rawValue, purchase.original, last.environment.rawValue,
                last.purchased.timeIntervalSince1970, last.ends?.timeIntervalSince1970, reported,
            ])
    }

    static func lastVerifiedAt(_ db: any StateTransaction, _ purchase: PurchaseKey, at timestamp: Date) throws {
        try db.execute(
            """
            UPDATE purchase SET last_verified = ?, retry_after = 0, lease = NULL WHERE \(isPurchase) AND last_verified < ?
            """,
            [
                timestamp.timeIntervalSince1970, purchase.store.rawValue, purchase.original,
                timestamp.timeIntervalSince1970,
            ])
    }
}
