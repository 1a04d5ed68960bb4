public import Commerce
public import Foundation
public import Gatefold

extension SQLStateStore {
    public func reverifications(
        _ selection: ReverificationSelection, of owner: PurchaseOwner?, in stores: Set<StoreName>,
        environments: Set<StoreEnvironment>, verifiedBefore lastVerifiedAt: Date, at timestamp: Date, limit: Int
    ) async throws -> [Reverification] {
        guard !stores.isEmpty, !environments.isEmpty else { return [] }
        return try await database.read { db in
            let now = timestamp.timeIntervalSince1970
            var arguments: StateArguments = []
            let rows: String
            var isDue = DueDate.condition("p.retry_after", set: "p.retry_after_set")
            if let owner {
                // The purchases of a present owner are verified at once, even while another process verifies them.
                isDue = "(p.lease IS NOT NULL OR \(isDue))"
                let person = try PersonRow.person(db, of: owner)
                rows = """
                    claim c \(db.dialect.orderedJoin) purchase p ON p.store = c.store AND p.original = c.original
                    WHERE \(ClaimRow.belongsToPerson) AND \(db.dialect.unindexed)p.store IN (\(Self.placeholders(stores.count)))
                    """
                arguments += [person, person]
            } else {
                rows = """
                    purchase p
                    WHERE EXISTS (SELECT 1 FROM claim c WHERE c.store = p.store AND c.original = p.original)
                        AND p.store IN (\(Self.placeholders(stores.count)))
                    """
            }
            arguments += StateArguments(stores.sorted().map(\.rawValue))
            arguments += StateArguments(environments.map(\.rawValue).sorted())
            arguments += DueDate.arguments(at: timestamp)
            let condition: String
            switch selection {
            case .ending(let period):
                condition =
                    "p.ends BETWEEN ? AND ? AND (p.last_verified < ? OR (p.last_verified < p.ends AND p.ends <= ?))"
                arguments += [
                    period.start.timeIntervalSince1970, (period.end ?? .distantFuture).timeIntervalSince1970,
                    lastVerifiedAt.timeIntervalSince1970, now,
                ]
            case .bought(let since):
                condition = "p.ends IS NULL AND p.bought >= ? AND p.last_verified < ?"
                arguments += [since.timeIntervalSince1970, lastVerifiedAt.timeIntervalSince1970]
            }
            return try self.readable(
                db,
                """
                SELECT DISTINCT p.store, p.original, p.last_verified,
                    CASE WHEN p.retry_after > p.last_verified THEN p.retry_after ELSE p.last_verified END AS latest
                FROM \(rows)
                    AND p.environment IN (\(Self.placeholders(environments.count))) AND \(isDue) AND \(condition)
                ORDER BY latest, p.last_verified, p.store, p.original
                LIMIT ?
                """, arguments, limit: limit,
                for: owner == nil ? "\(selection.name) purchases in \(stores.sorted())" : nil, name: RowName.reference,
                read: { try Self.reverification(db, $0) })
        }
    }

    public func purchases(verifiedBy receipt: StoreReceipt, in store: StoreName, limit: Int) async throws
        -> [Reverification]
    {
        try await database.read { db in
            try self.readable(
                db,
                """
                SELECT DISTINCT p.store, p.original, p.last_verified FROM receipt r
                JOIN claim c ON c.receipt = r.id
                JOIN purchase p ON p.store = c.store AND p.original = c.original
                WHERE r.store = ? AND r.digest = ? ORDER BY p.original LIMIT ?
                """, [store.rawValue, Data(receipt.digest)], limit: limit, for: nil, name: RowName.reference,
                read: { try Self.reverification(db, $0) })
        }
    }

    public func unacknowledged(
        in stores: Set<StoreName>, environments: Set<StoreEnvironment>, at timestamp: Date, limit: Int
    ) async throws -> [Reverification] {
        guard !stores.isEmpty, !environments.isEmpty else { return [] }
        return try await database.read { db in
            try self.readable(
                db,
                """
                SELECT \(TransactionRow.columns), p.last_verified FROM store_transaction t
                JOIN purchase p ON p.store = t.store AND p.original = t.original
                WHERE t.awaits_acknowledgement = 1 AND t.store IN (\(Self.placeholders(stores.count)))
                    AND t.environment IN (\(Self.placeholders(environments.count)))
                    AND t.revoked IS NULL AND \(DueDate.condition("p.retry_after", set: "p.retry_after_set"))
                    AND EXISTS (SELECT 1 FROM claim c WHERE c.store = t.store AND c.original = t.original)
                ORDER BY t.purchased, t.store, t.id LIMIT ?
                """,
                StateArguments(stores.sorted().map(\.rawValue))
                    + StateArguments(environments.map(\.rawValue).sorted()) + DueDate.arguments(at: timestamp),
                limit: limit, for: "unacknowledged purchases in \(stores.sorted())", name: RowName.reference,
                read: { row in
                    let transaction = try TransactionRow.transaction(row)
                    return Reverification(
                        transaction: transaction, receipt: try Self.receipt(db, of: PurchaseKey(transaction)),
                        lastVerifiedAt: try StateRow.date(row, row.values.count - 1, "purchase"))
                })
        }
    }

    /// Decodes a row with the store, the purchase and the time of the last verification; returns nil if the
    /// purchase has no transactions.
    private static func reverification(_ db: any StateTransaction, _ row: StateRow) throws -> Reverification? {
        let purchase = PurchaseKey(
            store: try StateRow.name(row, 0, "purchase") { StoreName($0) },
            original: try StateRow.text(row, 1, "purchase"))
        return try StoreTransaction.last(of: TransactionRow.all(db, of: purchase)).map {
            Reverification(
                transaction: $0, receipt: try receipt(db, of: purchase),
                lastVerifiedAt: try StateRow.date(row, 2, "purchase"))
        }
    }

    public func lastVerifiedAt(at original: String, in store: StoreName, timestamp: Date) async throws {
        try await database.write { db in
            try PurchaseRow.lastVerifiedAt(db, PurchaseKey(store: store, original: original), at: timestamp)
        }
    }

    public func claimReverification(
        at original: String, in store: StoreName, lease: [UInt8], from timestamp: Date, until end: Date
    ) async throws -> Bool {
        try await database.write { db in
            try JobQueueTable.purchases.claim(
                db, where: PurchaseRow.isPurchase, [store.rawValue, original], lease: lease, at: timestamp, until: end)
        }
    }

    public func postponeReverification(
        at original: String, in store: StoreName, lease: [UInt8]?, from timestamp: Date, until due: Date
    ) async throws {
        try await database.write { db in
            try JobQueueTable.purchases.rest(
                db, where: PurchaseRow.isPurchase, [store.rawValue, original], lease: lease, at: timestamp, until: due)
        }
    }

    /// Returns the latest stored receipt that proved a purchase.
    private static func receipt(_ db: any StateTransaction, of purchase: PurchaseKey) throws -> StoreReceipt? {
        try db.row(
            """
            SELECT r.parts FROM claim c JOIN receipt r ON r.id = c.receipt
            WHERE c.store = ? AND c.original = ? ORDER BY c.verified DESC, r.id DESC LIMIT 1
            """, [purchase.store.rawValue, purchase.original]
        ).map { try ReceiptRow.parts($0, 0, ReceiptRow.table) }
    }
}

extension ReverificationSelection {
    /// The name of the selection, without its dates.
    fileprivate var name: String {
        switch self {
        case .ending(let period): period.end == nil ? "running" : "ended"
        case .bought: "bought"
        }
    }
}
