public import Commerce
public import Foundation
public import Gatefold

extension SQLStateStore {
    public func settle(
        _ record: ReceiptRecord, proving transactions: [StoreTransaction], claims: ClaimRule,
        delivering: [Delivery], at timestamp: Date
    ) async throws -> Settlement {
        // No other process can claim between the count and the write.
        try await database.write { db in
            guard let known = try ReceiptRow.find(db, record.id) else { throw StateStoreError.noSuchReceipt }
            return try self.settle(
                db, record.incoming, known: known, proving: transactions, claims: claims, delivering: delivering,
                at: timestamp)
        }
    }

    public func persist(
        _ receipt: IncomingReceipt, proving transactions: [StoreTransaction], claims: ClaimRule, at timestamp: Date
    ) async throws -> Settlement {
        try await database.write { db in
            try self.settle(
                db, receipt, known: ReceiptRow.find(db, receipt), proving: transactions, claims: claims,
                delivering: [], at: timestamp)
        }
    }

    /// - Parameter known: The current record of the receipt; nil if there is none.
    private func settle(
        _ db: any StateTransaction, _ receipt: IncomingReceipt, known: ReceiptRecord?,
        proving transactions: [StoreTransaction],
        claims: ClaimRule, delivering: [Delivery], at timestamp: Date
    ) throws -> Settlement {
        let purchases = Set(transactions.map { PurchaseKey($0) })
        guard try ClaimRow.allows(db, claims, receipt.owner, purchases) else {
            if let known { try ReceiptRow.reject(db, known, ReceiptRejection(.claimedByAnother), at: timestamp) }
            // A revocation is recorded regardless of the claim, because it affects every owner of the purchase.
            try TransactionRow.record(db, transactions.filter { $0.revoked != nil }, at: timestamp)
            return .claimedByAnother
        }
        let id = try known?.id ?? ReceiptRow.insert(db, receipt, at: timestamp, stored: now(db).timestamp)
        if let owner = receipt.owner {
            let person = try PersonRow.person(db, of: owner)
            // An owner does not claim a purchase that another owner of its person claims already. Otherwise it
            // would retain the purchase after an unlink, and repeated links and unlinks could spread the purchase
            // to any number of owners.
            for purchase in purchases
            where try ClaimRow.isOwn(db, owner, purchase) || !ClaimRow.has(db, person, purchase) {
                try ClaimRow.insert(db, purchase, owner, receipt: id, at: timestamp)
            }
        }
        try TransactionRow.record(db, transactions, at: timestamp)
        for delivery in delivering where try !TransactionRow.isRevoked(db, delivery.id) {
            try DeliveryRow.insert(db, delivery, orderedBy: receipt.owner, at: timestamp)
        }
        try ReceiptRow.setVerified(db, id, receipt.receipt, at: timestamp)
        if receipt.owner != nil { try ReceiptRow.deleteSuperseded(db, by: id, receipt) }
        return .settled
    }

    public func record(_ transactions: [StoreTransaction], at timestamp: Date) async throws {
        guard !transactions.isEmpty else { return }
        try await database.write { db in try TransactionRow.record(db, transactions, at: timestamp) }
    }

    public func take(_ event: StoreEvent, at timestamp: Date) async throws -> Bool {
        return try await database.write { db in
            let seconds = timestamp.timeIntervalSince1970
            let changed = try db.execute(
                "INSERT INTO store_event (store, id, received) VALUES (?, ?, ?) ON CONFLICT (store, id) DO NOTHING",
                [event.store.rawValue, try StateText.storable(event.id, "store_event"), seconds])
            guard changed > 0 else { return false }
            try TransactionRow.record(db, event.transactions, at: timestamp)
            return true
        }
    }

    public func transactions(of owner: PurchaseOwner, in stores: Set<StoreName>) async throws -> [StoreTransaction] {
        guard !stores.isEmpty else { return [] }
        return try await database.read { db in
            let person = try PersonRow.person(db, of: owner)
            return try db.rows(
                """
                SELECT DISTINCT \(TransactionRow.columns) FROM claim c
                \(db.dialect.orderedJoin) \(TransactionRow.byPurchase(db)) ON t.store = c.store AND t.original = c.original
                WHERE \(ClaimRow.belongsToPerson) AND \(db.dialect.unindexed)c.store IN (\(Self.placeholders(stores.count)))
                ORDER BY t.purchased, t.store, t.id
                """, [person, person] + StateArguments(stores.sorted().map(\.rawValue))
            ).map(TransactionRow.transaction)
        }
    }

    public func transaction(_ id: String, in store: StoreName) async throws -> StoreTransaction? {
        try await database.read { db in try TransactionRow.find(db, store, id) }
    }

    public func transactions(of original: String, in store: StoreName) async throws -> [StoreTransaction] {
        try await database.read { db in try TransactionRow.all(db, of: PurchaseKey(store: store, original: original)) }
    }

    /// Returns a list of the given number of SQL placeholders.
    static func placeholders(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }
}
