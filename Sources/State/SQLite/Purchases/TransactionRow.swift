import Foundation
import GRDB
import Gatefold

/// Rows of table store_transaction, and the rows of table purchase that follow from them.
enum TransactionRow {
    static let table = "store_transaction"
    /// Of a row that is called `t`.
    static let columns = """
        t.store, t.id, t.original, t.product, t.purchased, t.expires, t.revoked, t.quantity, t.environment, t.told,
        t.grace, t.grace_told, t.awaits_acknowledgement
        """

    /// Keeps of each transaction what the words about it amount to, see ``StoreTransaction/joined(with:)``.
    static func note(_ db: Database, _ transactions: [StoreTransaction], at moment: Date) throws {
        var changed: Set<PurchaseKey> = []
        for transaction in transactions {
            var word = transaction
            if let known = try find(db, transaction.store, transaction.id) {
                word = transaction.joined(with: known)
                guard word != known else { continue }
                changed.insert(PurchaseKey(known))
            }
            try write(db, word)
            changed.insert(PurchaseKey(word))
        }
        for purchase in changed { try PurchaseRow.refresh(db, purchase, at: moment) }
    }

    static func find(_ db: Database, _ store: StoreName, _ id: String) throws -> StoreTransaction? {
        try Row.fetchOne(
            try db.cachedStatement(sql: "SELECT \(columns) FROM store_transaction t WHERE t.store = ? AND t.id = ?"),
            arguments: [store.rawValue, try StateText.storable(id, table)]
        ).map(transaction)
    }

    static func isRevoked(_ db: Database, _ id: Delivery.ID) throws -> Bool {
        try find(db, id.store, id.transaction)?.revoked != nil
    }

    static func all(_ db: Database, of purchase: PurchaseKey) throws -> [StoreTransaction] {
        try Row.fetchAll(
            try db.cachedStatement(
                sql: """
                    SELECT \(columns) FROM store_transaction t WHERE t.store = ? AND t.original = ?
                    ORDER BY t.purchased, t.id
                    """),
            arguments: [purchase.store.rawValue, try StateText.storable(purchase.original, table)]
        ).map(transaction)
    }

    private static func write(_ db: Database, _ transaction: StoreTransaction) throws {
        try db.execute(
            sql: """
                INSERT INTO store_transaction (
                    store, id, original, product, purchased, expires, revoked, quantity, environment, told, grace,
                    grace_told, awaits_acknowledgement)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (store, id) DO UPDATE SET
                    original = excluded.original, product = excluded.product, purchased = excluded.purchased,
                    expires = excluded.expires, revoked = excluded.revoked, quantity = excluded.quantity,
                    environment = excluded.environment, told = excluded.told, grace = excluded.grace,
                    grace_told = excluded.grace_told, awaits_acknowledgement = excluded.awaits_acknowledgement
                """,
            arguments: [
                transaction.store.rawValue, try StateText.storable(transaction.id, table),
                try StateText.storable(transaction.original, table),
                try StateText.storable(transaction.product, table), transaction.purchased.timeIntervalSince1970,
                transaction.expires?.timeIntervalSince1970, transaction.revoked?.timeIntervalSince1970,
                Int64(transaction.quantity), transaction.environment.rawValue, transaction.told.timeIntervalSince1970,
                transaction.grace?.ends?.timeIntervalSince1970, transaction.grace?.told.timeIntervalSince1970,
                transaction.awaitsAcknowledgement,
            ])
    }

    static func transaction(_ row: Row) throws -> StoreTransaction {
        StoreTransaction(
            store: try StateRow.name(row, 0, table) { StoreName($0) }, id: try StateRow.text(row, 1, table),
            original: try StateRow.text(row, 2, table), product: try StateRow.text(row, 3, table),
            purchased: try StateRow.date(row, 4, table), expires: try StateRow.optional(StateRow.date, row, 5, table),
            grace: try grace(row), revoked: try StateRow.optional(StateRow.date, row, 6, table),
            quantity: try StateRow.count(row, 7, table),
            environment: try StateRow.name(row, 8, table) { StoreEnvironment(rawValue: $0) },
            awaitsAcknowledgement: try StateRow.integer(row, 12, table) != 0, told: try StateRow.date(row, 9, table))
    }

    private static func grace(_ row: Row) throws -> GracePeriod? {
        let ends = try StateRow.optional(StateRow.date, row, 10, table)
        return try StateRow.optional(StateRow.date, row, 11, table).map { GracePeriod(ends: ends, told: $0) }
    }
}
