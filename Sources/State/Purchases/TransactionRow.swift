import Commerce
import Foundation

/// Rows of the table `store_transaction`, and the rows of the table `purchase` that derive from them.
enum TransactionRow {
    static let table = "store_transaction"
    /// The columns of a row that is aliased `t`.
    static let columns = """
        t.store, t.id, t.original, t.product, t.purchased, t.expires, t.revoked, t.quantity, t.environment, t.reported,
        t.grace, t.grace_reported, t.awaits_acknowledgement
        """

    /// Stores each transaction, merged with the reports already recorded about it, see
    /// `StoreTransaction.joined(with:)`.
    static func record(_ db: any StateTransaction, _ transactions: [StoreTransaction], at timestamp: Date) throws {
        var changed: Set<PurchaseKey> = []
        for transaction in transactions {
            var newest = transaction
            if let known = try find(db, transaction.store, transaction.id) {
                newest = transaction.joined(with: known)
                guard newest != known else { continue }
                changed.insert(PurchaseKey(known))
            }
            try write(db, newest)
            changed.insert(PurchaseKey(newest))
        }
        for purchase in changed { try PurchaseRow.refresh(db, purchase, at: timestamp) }
    }

    static func find(_ db: any StateTransaction, _ store: StoreName, _ id: String) throws -> StoreTransaction? {
        try db.row(
            "SELECT \(columns) FROM store_transaction t WHERE t.store = ? AND t.id = ?",
            [store.rawValue, try StateText.storable(id, table)]
        ).map(transaction)
    }

    static func isRevoked(_ db: any StateTransaction, _ id: Delivery.ID) throws -> Bool {
        try find(db, id.store, id.transaction)?.revoked != nil
    }

    /// The table with a forced index on the purchase. Without it SQLite selects the primary key, which also begins
    /// with the store, and reads all transactions of the store.
    static func byPurchase(_ db: any StateTransaction) -> String { "store_transaction t \(db.dialect.byPurchase)" }

    static func all(_ db: any StateTransaction, of purchase: PurchaseKey) throws -> [StoreTransaction] {
        try db.rows(
            """
            SELECT \(columns) FROM \(byPurchase(db)) WHERE t.store = ? AND t.original = ?
            ORDER BY t.purchased, t.id
            """, [purchase.store.rawValue, try StateText.storable(purchase.original, table)]
        ).map(transaction)
    }

    private static func write(_ db: any StateTransaction, _ transaction: StoreTransaction) throws {
        try db.execute(
            """
            INSERT INTO store_transaction (
                store, id, original, product, purchased, expires, revoked, quantity, environment, reported, grace,
                grace_reported, awaits_acknowledgement)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (store, id) DO UPDATE SET
                original = excluded.original, product = excluded.product, purchased = excluded.purchased,
                expires = excluded.expires, revoked = excluded.revoked, quantity = excluded.quantity,
                environment = excluded.environment, reported = excluded.reported, grace = excluded.grace,
                grace_reported = excluded.grace_reported, awaits_acknowledgement = excluded.awaits_acknowledgement
            """,
            [
                transaction.store.rawValue, try StateText.storable(transaction.id, table),
                try StateText.storable(transaction.original, table),
                try StateText.storable(transaction.product, table), transaction.purchased.timeIntervalSince1970,
                transaction.expires?.timeIntervalSince1970, transaction.revoked?.timeIntervalSince1970,
                Int64(transaction.quantity), transaction.environment.rawValue,
                transaction.reported.timeIntervalSince1970,
                transaction.grace?.ends?.timeIntervalSince1970, transaction.grace?.reported.timeIntervalSince1970,
                transaction.awaitsAcknowledgement,
            ])
    }

    static func transaction(_ row: StateRow) throws -> StoreTransaction {
        StoreTransaction(
            store: try StateRow.name(row, 0, table) { StoreName($0) }, id: try StateRow.text(row, 1, table),
            original: try StateRow.text(row, 2, table), product: try StateRow.text(row, 3, table),
            purchased: try StateRow.date(row, 4, table), expires: try StateRow.optional(StateRow.date, row, 5, table),
            grace: try grace(row), revoked: try StateRow.optional(StateRow.date, row, 6, table),
            quantity: try StateRow.count(row, 7, table),
            environment: try StateRow.name(row, 8, table) { StoreEnvironment(rawValue: $0) },
            awaitsAcknowledgement: try StateRow.integer(row, 12, table) != 0, reported: try StateRow.date(row, 9, table)
        )
    }

    private static func grace(_ row: StateRow) throws -> GracePeriod? {
        let ends = try StateRow.optional(StateRow.date, row, 10, table)
        return try StateRow.optional(StateRow.date, row, 11, table).map { GracePeriod(ends: ends, reported: $0) }
    }
}
