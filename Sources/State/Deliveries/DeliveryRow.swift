import Commerce
import Foundation
import Gatefold

/// Rows of the table `delivery`.
enum DeliveryRow {
    static let table = "delivery"
    static let columns = """
        store, transaction_id, publication, account, price, currency, product, quantity, purchased, environment, ordered,
        attempts, next, cause, delivered, \(isRefunded)
        """
    /// The condition that the purchase was refunded or revoked since.
    private static let isRefunded = """
        EXISTS (
            SELECT 1 FROM store_transaction t
            WHERE t.store = delivery.store AND t.id = delivery.transaction_id AND t.revoked IS NOT NULL)
        """
    /// The condition for a delivery that is pending: it is neither delivered nor revoked, and has an account.
    static let isPending = "delivered IS NULL AND account IS NOT NULL AND NOT \(isRefunded)"

    /// The columns of an identifier.
    static let key = "store, transaction_id"

    /// Returns the condition that finds some deliveries; see ``keys(_:)``.
    static func isOne(of ids: [Delivery.ID]) -> String { StatementPart.condition("store transaction_id", ids.count) }

    /// Returns the arguments of ``isOne(of:)``.
    static func keys(_ ids: [Delivery.ID]) -> StateArguments {
        ids.flatMap { [$0.store.rawValue, $0.transaction] as StateArguments }
    }

    /// Reads an identifier from the first two columns of a row.
    static func id(_ row: StateRow) throws -> Delivery.ID {
        Delivery.ID(
            store: try StateRow.name(row, 0, table) { StoreName($0) }, transaction: try StateRow.text(row, 1, table))
    }

    /// The condition that finds one delivery that is not delivered yet.
    static let isUndelivered = "store = ? AND transaction_id = ? AND delivered IS NULL"

    /// Inserts a delivery, or does nothing if a delivery of the transaction exists already for any owner.
    static func insert(
        _ db: any StateTransaction, _ delivery: Delivery, orderedBy owner: PurchaseOwner?, at timestamp: Date
    ) throws {
        let seconds = timestamp.timeIntervalSince1970
        try db.execute(
            """
            INSERT INTO delivery (
                store, transaction_id, publication, owner, account, price, currency, product, quantity, purchased,
                environment, ordered, attempts, next, next_set)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?) ON CONFLICT (store, transaction_id) DO NOTHING
            """,
            [
                delivery.id.store.rawValue, try StateText.storable(delivery.id.transaction, table),
                delivery.publication.rawValue, OwnerColumn.value(owner),
                try StateText.storable(delivery.credit.account, table),
                try StateText.storable(ifAny: delivery.credit.price, table),
                try StateText.storable(ifAny: delivery.credit.currency, table),
                try StateText.storable(delivery.product, table), Int64(delivery.quantity),
                delivery.purchased.timeIntervalSince1970, delivery.environment.rawValue, seconds, seconds, seconds,
            ])
    }

    static func record(_ row: StateRow) throws -> DeliveryRecord {
        let delivery = Delivery(
            id: try id(row),
            publication: try StateRow.name(row, 2, table) { PublicationID($0) },
            credit: Credit(
                account: try StateRow.text(row, 3, table), price: try StateRow.optional(StateRow.text, row, 4, table),
                currency: try StateRow.optional(StateRow.text, row, 5, table)),
            product: try StateRow.text(row, 6, table), quantity: try StateRow.count(row, 7, table),
            purchased: try StateRow.date(row, 8, table),
            environment: try StateRow.name(row, 9, table) { StoreEnvironment(rawValue: $0) })
        let status: DeliveryRecord.DeliveryStatus
        if let timestamp = try StateRow.optional(StateRow.date, row, 14, table) {
            status = .delivered(at: timestamp)
        } else if try StateRow.integer(row, 15, table) != 0 {
            status = .refunded
        } else {
            status = .pending(
                attempts: try StateRow.count(row, 11, table), next: try StateRow.date(row, 12, table),
                cause: try StateRow.optional(StateRow.text, row, 13, table))
        }
        return DeliveryRecord(delivery: delivery, ordered: try StateRow.date(row, 10, table), status: status)
    }
}
