public import Foundation
import GRDB
public import Gatefold

extension SQLiteStateStore {
    public func rechecks(
        _ selection: RecheckSelection, of owner: PurchaseOwner?, in stores: Set<StoreName>,
        environments: Set<StoreEnvironment>, lookedBefore looked: Date, at moment: Date, limit: Int
    ) async throws -> [Recheck] {
        guard !stores.isEmpty, !environments.isEmpty else { return [] }
        return try await pool.read { db in
            let now = moment.timeIntervalSince1970
            var arguments: StatementArguments = []
            let rows: String
            var isDue = DueMoment.condition("p.rest", set: "p.rest_set")
            if let owner {
                // Whoever comes is asked for at once, also while another process looks.
                isDue = "(p.lease IS NOT NULL OR \(isDue))"
                let person = try PersonRow.person(db, of: owner)
                rows = """
                    claim c CROSS JOIN purchase p ON p.store = c.store AND p.original = c.original
                    WHERE \(ClaimRow.isOfPerson) AND +p.store IN (\(Self.places(stores.count)))
                    """
                arguments += [person, person]
            } else {
                rows = """
                    purchase p
                    WHERE EXISTS (SELECT 1 FROM claim c WHERE c.store = p.store AND c.original = p.original)
                        AND p.store IN (\(Self.places(stores.count)))
                    """
            }
            arguments += StatementArguments(stores.sorted().map(\.rawValue))
            arguments += StatementArguments(environments.map(\.rawValue).sorted())
            arguments += DueMoment.arguments(at: moment)
            let condition: String
            switch selection {
            case .ending(let period):
                condition = "p.ends BETWEEN ? AND ? AND (p.looked < ? OR (p.looked < p.ends AND p.ends <= ?))"
                arguments += [
                    period.start.timeIntervalSince1970, (period.end ?? .distantFuture).timeIntervalSince1970,
                    looked.timeIntervalSince1970, now,
                ]
            case .bought(let since):
                condition = "p.ends IS NULL AND p.bought >= ? AND p.looked < ?"
                arguments += [since.timeIntervalSince1970, looked.timeIntervalSince1970]
            }
            return try readable(
                db,
                """
                SELECT DISTINCT p.store, p.original, p.looked FROM \(rows)
                    AND p.environment IN (\(Self.places(environments.count))) AND \(isDue) AND \(condition)
                ORDER BY CASE WHEN p.rest > p.looked THEN p.rest ELSE p.looked END, p.looked, p.store, p.original
                LIMIT ?
                """, arguments, limit: limit,
                for: owner == nil ? "\(selection.name) purchases in \(stores.sorted())" : nil, name: RowName.reference,
                read: { try Self.recheck(db, $0) })
        }
    }

    public func purchases(provenBy receipt: StoreReceipt, in store: StoreName, limit: Int) async throws -> [Recheck] {
        try await pool.read { db in
            try readable(
                db,
                """
                SELECT DISTINCT p.store, p.original, p.looked FROM receipt r
                JOIN claim c ON c.receipt = r.id
                JOIN purchase p ON p.store = c.store AND p.original = c.original
                WHERE r.store = ? AND r.digest = ? ORDER BY p.original LIMIT ?
                """, [store.rawValue, Data(receipt.digest)], limit: limit, for: nil, name: RowName.reference,
                read: { try Self.recheck(db, $0) })
        }
    }

    public func unacknowledged(
        in stores: Set<StoreName>, environments: Set<StoreEnvironment>, at moment: Date, limit: Int
    ) async throws -> [Recheck] {
        guard !stores.isEmpty, !environments.isEmpty else { return [] }
        return try await pool.read { db in
            try readable(
                db,
                """
                SELECT \(TransactionRow.columns), p.looked FROM store_transaction t
                JOIN purchase p ON p.store = t.store AND p.original = t.original
                WHERE t.awaits_acknowledgement = 1 AND t.store IN (\(Self.places(stores.count)))
                    AND t.environment IN (\(Self.places(environments.count)))
                    AND t.revoked IS NULL AND \(DueMoment.condition("p.rest", set: "p.rest_set"))
                    AND EXISTS (SELECT 1 FROM claim c WHERE c.store = t.store AND c.original = t.original)
                ORDER BY t.purchased, t.store, t.id LIMIT ?
                """,
                StatementArguments(stores.sorted().map(\.rawValue))
                    + StatementArguments(environments.map(\.rawValue).sorted()) + DueMoment.arguments(at: moment),
                limit: limit, for: "unacknowledged purchases in \(stores.sorted())", name: RowName.reference,
                read: { row in
                    let transaction = try TransactionRow.transaction(row)
                    return Recheck(
                        transaction: transaction, receipt: try Self.receipt(db, of: PurchaseKey(transaction)),
                        looked: try StateRow.date(row, row.count - 1, "purchase"))
                })
        }
    }

    /// Of a row with the store, the purchase and the last look; nil where nothing is known of it.
    private static func recheck(_ db: Database, _ row: Row) throws -> Recheck? {
        let purchase = PurchaseKey(
            store: try StateRow.name(row, 0, "purchase") { StoreName($0) },
            original: try StateRow.text(row, 1, "purchase"))
        return try StoreTransaction.last(of: TransactionRow.all(db, of: purchase)).map {
            Recheck(
                transaction: $0, receipt: try receipt(db, of: purchase),
                looked: try StateRow.date(row, 2, "purchase"))
        }
    }

    public func looked(at original: String, in store: StoreName, moment: Date) async throws {
        try await pool.write { db in
            try PurchaseRow.looked(db, PurchaseKey(store: store, original: original), at: moment)
        }
    }

    public func claimLook(
        at original: String, in store: StoreName, lease: [UInt8], from moment: Date, until end: Date
    ) async throws -> Bool {
        try await pool.write { db in
            try WorkTable.purchases.claim(
                db, where: PurchaseRow.isPurchase, [store.rawValue, original], lease: lease, at: moment, until: end)
        }
    }

    public func postponeLook(
        at original: String, in store: StoreName, lease: [UInt8]?, from moment: Date, until due: Date
    ) async throws {
        try await pool.write { db in
            try WorkTable.purchases.rest(
                db, where: PurchaseRow.isPurchase, [store.rawValue, original], lease: lease, at: moment, until: due)
        }
    }

    /// The latest receipt that proved a purchase, of those still there.
    private static func receipt(_ db: Database, of purchase: PurchaseKey) throws -> StoreReceipt? {
        try Row.fetchOne(
            try db.cachedStatement(
                sql: """
                    SELECT r.parts FROM claim c JOIN receipt r ON r.id = c.receipt
                    WHERE c.store = ? AND c.original = ? ORDER BY c.proven DESC, r.id DESC LIMIT 1
                    """),
            arguments: [purchase.store.rawValue, purchase.original]
        ).map { try ReceiptRow.parts($0, 0, ReceiptRow.table) }
    }
}

extension RecheckSelection {
    /// What it selects, without the moments.
    fileprivate var name: String {
        switch self {
        case .ending(let period): period.end == nil ? "running" : "ended"
        case .bought: "bought"
        }
    }
}
