public import Foundation
import GRDB
public import Gatefold

extension SQLiteStateStore {
    public func settle(
        _ record: ReceiptRecord.ID, proving transactions: [StoreTransaction], claims: ClaimRule,
        delivering: [Delivery], at moment: Date
    ) async throws -> Settlement {
        // One immediate transaction: nobody else can claim between counting and writing.
        try await pool.write { db in
            guard let receipt = try ReceiptRow.find(db, record) else { throw StateStoreError.noSuchReceipt }
            let purchases = Set(transactions.map { PurchaseKey($0) })
            if let owner = receipt.incoming.owner {
                let person = try PersonRow.person(db, of: owner)
                for purchase in purchases
                where try ClaimRow.persons(db, claiming: purchase, besides: person) >= claims.mostPersons
                    && !ClaimRow.has(db, person, purchase)
                {
                    try ReceiptRow.refuse(db, receipt, ReceiptRefusal(.claimedByAnother), at: moment)
                    return .claimedByAnother
                }
                // What the person has already is not claimed again under another name: it would be kept after parting, and
                // whoever links and parts often enough could hand it to everybody.
                for purchase in purchases
                where try ClaimRow.isOwn(db, owner, purchase) || !ClaimRow.has(db, person, purchase) {
                    try ClaimRow.insert(db, purchase, owner, receipt: record, at: moment)
                }
            }
            try TransactionRow.note(db, transactions, at: moment)
            for delivery in delivering where try !TransactionRow.isRevoked(db, delivery.id) {
                try DeliveryRow.insert(db, delivery, orderedBy: receipt.incoming.owner, at: moment)
            }
            try ReceiptRow.prove(db, record, at: moment)
            if receipt.incoming.owner != nil { try ReceiptRow.deleteSuperseded(db, by: record, receipt.incoming) }
            return .settled
        }
    }

    public func note(_ transactions: [StoreTransaction], at moment: Date) async throws {
        guard !transactions.isEmpty else { return }
        try await pool.write { db in try TransactionRow.note(db, transactions, at: moment) }
    }

    public func take(_ event: StoreEvent, at moment: Date) async throws -> Bool {
        try await pruneIfTime(moment)
        return try await pool.write { db in
            let seconds = moment.timeIntervalSince1970
            try db.execute(
                sql: "INSERT INTO store_event (store, id, taken) VALUES (?, ?, ?) ON CONFLICT (store, id) DO NOTHING",
                arguments: [event.store.rawValue, try StateText.storable(event.id, "store_event"), seconds])
            guard db.changesCount > 0 else { return false }
            try TransactionRow.note(db, event.transactions, at: moment)
            return true
        }
    }

    public func transactions(of owner: PurchaseOwner, in stores: Set<StoreName>) async throws -> [StoreTransaction] {
        guard !stores.isEmpty else { return [] }
        return try await pool.read { db in
            let person = try PersonRow.person(db, of: owner)
            return try Row.fetchAll(
                try db.cachedStatement(
                    sql: """
                        SELECT \(TransactionRow.columns) FROM store_transaction t
                        WHERE t.store IN (\(Self.places(stores.count))) AND EXISTS (
                            SELECT 1 FROM claim c WHERE c.store = t.store AND c.original = t.original
                                AND c.owner IN (\(PersonRow.members)))
                        ORDER BY t.purchased, t.store, t.id
                        """),
                arguments: StatementArguments(stores.sorted().map(\.rawValue)) + [person, person]
            ).map(TransactionRow.transaction)
        }
    }

    public func transactions(of original: String, in store: StoreName) async throws -> [StoreTransaction] {
        try await pool.read { db in try TransactionRow.all(db, of: PurchaseKey(store: store, original: original)) }
    }

    /// So many question marks.
    static func places(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }
}
