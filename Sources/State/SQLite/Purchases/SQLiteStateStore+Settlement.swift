public import Foundation
import GRDB
public import Gatefold

extension SQLiteStateStore {
    public func settle(
        _ record: ReceiptRecord, proving transactions: [StoreTransaction], claims: ClaimRule,
        delivering: [Delivery], at moment: Date
    ) async throws -> Settlement {
        // One immediate transaction: nobody else can claim between counting and writing.
        try await pool.write { db in
            guard let known = try ReceiptRow.find(db, record.id) else { throw StateStoreError.noSuchReceipt }
            return try self.settle(
                db, record.incoming, known: known, proving: transactions, claims: claims, delivering: delivering,
                at: moment)
        }
    }

    public func keep(
        _ receipt: IncomingReceipt, proving transactions: [StoreTransaction], claims: ClaimRule, at moment: Date
    ) async throws -> Settlement {
        try await pool.write { db in
            try self.settle(
                db, receipt, known: ReceiptRow.find(db, receipt), proving: transactions, claims: claims,
                delivering: [], at: moment)
        }
    }

    /// - Parameter known: as it is on record now; nil where it is not.
    private func settle(
        _ db: Database, _ receipt: IncomingReceipt, known: ReceiptRecord?, proving transactions: [StoreTransaction],
        claims: ClaimRule, delivering: [Delivery], at moment: Date
    ) throws -> Settlement {
        let purchases = Set(transactions.map { PurchaseKey($0) })
        guard try ClaimRow.allows(db, claims, receipt.owner, purchases) else {
            if let known { try ReceiptRow.refuse(db, known, ReceiptRefusal(.claimedByAnother), at: moment) }
            // That something was taken back concerns whoever has it.
            try TransactionRow.note(db, transactions.filter { $0.revoked != nil }, at: moment)
            return .claimedByAnother
        }
        let id = try known?.id ?? ReceiptRow.insert(db, receipt, at: moment, kept: now(db).moment)
        if let owner = receipt.owner {
            let person = try PersonRow.person(db, of: owner)
            // What the person has already is not claimed again under another name: it would be kept after parting, and
            // whoever links and parts often enough could hand it to everybody.
            for purchase in purchases
            where try ClaimRow.isOwn(db, owner, purchase) || !ClaimRow.has(db, person, purchase) {
                try ClaimRow.insert(db, purchase, owner, receipt: id, at: moment)
            }
        }
        try TransactionRow.note(db, transactions, at: moment)
        for delivery in delivering where try !TransactionRow.isRevoked(db, delivery.id) {
            try DeliveryRow.insert(db, delivery, orderedBy: receipt.owner, at: moment)
        }
        try ReceiptRow.prove(db, id, receipt.receipt, at: moment)
        if receipt.owner != nil { try ReceiptRow.deleteSuperseded(db, by: id, receipt) }
        return .settled
    }

    public func note(_ transactions: [StoreTransaction], at moment: Date) async throws {
        guard !transactions.isEmpty else { return }
        try await pool.write { db in try TransactionRow.note(db, transactions, at: moment) }
    }

    public func take(_ event: StoreEvent, at moment: Date) async throws -> Bool {
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
                        SELECT DISTINCT \(TransactionRow.columns) FROM claim c
                        CROSS JOIN \(TransactionRow.byPurchase) ON t.store = c.store AND t.original = c.original
                        WHERE \(ClaimRow.isOfPerson) AND +c.store IN (\(Self.places(stores.count)))
                        ORDER BY t.purchased, t.store, t.id
                        """),
                arguments: [person, person] + StatementArguments(stores.sorted().map(\.rawValue))
            ).map(TransactionRow.transaction)
        }
    }

    public func transactions(of original: String, in store: StoreName) async throws -> [StoreTransaction] {
        try await pool.read { db in try TransactionRow.all(db, of: PurchaseKey(store: store, original: original)) }
    }

    /// So many question marks.
    static func places(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }
}
