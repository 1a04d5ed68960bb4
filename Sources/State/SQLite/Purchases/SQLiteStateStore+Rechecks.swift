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
            var arguments = StatementArguments(stores.sorted().map(\.rawValue))
            arguments += StatementArguments(environments.map(\.rawValue).sorted())
            arguments += [now]
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
            var claimed = "SELECT 1 FROM claim c WHERE c.store = p.store AND c.original = p.original"
            if let owner {
                let person = try PersonRow.person(db, of: owner)
                claimed += " AND c.owner IN (\(PersonRow.members))"
                arguments += [person, person]
            }
            return try Row.fetchAll(
                try db.cachedStatement(
                    sql: """
                        SELECT p.store, p.original FROM purchase p
                        WHERE p.store IN (\(Self.places(stores.count)))
                            AND p.environment IN (\(Self.places(environments.count)))
                            AND p.rest <= ? AND \(condition) AND EXISTS (\(claimed))
                        ORDER BY CASE WHEN p.rest > p.looked THEN p.rest ELSE p.looked END, p.looked,
                            p.store, p.original LIMIT ?
                        """),
                arguments: arguments + [max(0, limit)]
            ).compactMap { try Self.recheck(db, $0) }
        }
    }

    public func purchases(provenBy receipt: StoreReceipt, in store: StoreName, limit: Int) async throws -> [Recheck] {
        try await pool.read { db in
            try Row.fetchAll(
                try db.cachedStatement(
                    sql: """
                        SELECT DISTINCT c.store, c.original FROM receipt r JOIN claim c ON c.receipt = r.id
                        WHERE r.store = ? AND r.digest = ? ORDER BY c.original LIMIT ?
                        """),
                arguments: [store.rawValue, Data(receipt.digest), max(0, limit)]
            ).compactMap { try Self.recheck(db, $0) }
        }
    }

    public func unacknowledged(
        in stores: Set<StoreName>, environments: Set<StoreEnvironment>, at moment: Date, limit: Int
    ) async throws -> [Recheck] {
        guard !stores.isEmpty, !environments.isEmpty else { return [] }
        return try await pool.read { db in
            try Row.fetchAll(
                try db.cachedStatement(
                    sql: """
                        SELECT \(TransactionRow.columns) FROM store_transaction t
                        JOIN purchase p ON p.store = t.store AND p.original = t.original
                        WHERE t.awaits_acknowledgement = 1 AND t.store IN (\(Self.places(stores.count)))
                            AND t.environment IN (\(Self.places(environments.count)))
                            AND t.revoked IS NULL AND p.rest <= ?
                            AND EXISTS (SELECT 1 FROM claim c WHERE c.store = t.store AND c.original = t.original)
                        ORDER BY t.purchased, t.store, t.id LIMIT ?
                        """),
                arguments: StatementArguments(stores.sorted().map(\.rawValue))
                    + StatementArguments(environments.map(\.rawValue).sorted())
                    + [moment.timeIntervalSince1970, max(0, limit)]
            ).map { row in
                let transaction = try TransactionRow.transaction(row)
                return Recheck(
                    transaction: transaction, receipt: try Self.receipt(db, of: PurchaseKey(transaction)))
            }
        }
    }

    /// Of a row with the store and the purchase; nil where nothing is known of it.
    private static func recheck(_ db: Database, _ row: Row) throws -> Recheck? {
        let purchase = PurchaseKey(
            store: try StateRow.name(row, 0, "purchase") { StoreName($0) },
            original: try StateRow.text(row, 1, "purchase"))
        return try PurchaseRow.last(of: TransactionRow.all(db, of: purchase)).map {
            Recheck(transaction: $0, receipt: try receipt(db, of: purchase))
        }
    }

    public func looked(at original: String, in store: StoreName, moment: Date) async throws {
        try await pool.write { db in
            try PurchaseRow.looked(db, PurchaseKey(store: store, original: original), at: moment)
        }
    }

    public func postponeLook(at original: String, in store: StoreName, until moment: Date) async throws {
        try await pool.write { db in
            try PurchaseRow.postpone(db, PurchaseKey(store: store, original: original), until: moment)
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
