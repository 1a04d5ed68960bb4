public import Foundation
import GRDB
public import Gatefold

extension SQLiteStateStore {
    public func rechecks(
        of owner: PurchaseOwner?, in stores: Set<StoreName>, ending: Period, lookedBefore looked: Date,
        at moment: Date, limit: Int
    ) async throws -> [Recheck] {
        guard !stores.isEmpty else { return [] }
        return try await pool.read { db in
            let now = moment.timeIntervalSince1970
            var arguments = StatementArguments(stores.sorted().map(\.rawValue))
            arguments += [
                ending.start.timeIntervalSince1970, (ending.end ?? .distantFuture).timeIntervalSince1970, now,
                looked.timeIntervalSince1970, now,
            ]
            var claimed = "SELECT 1 FROM claim c WHERE c.store = p.store AND c.original = p.original"
            if let owner {
                let person = try PersonRow.person(db, of: owner)
                claimed += " AND c.owner IN (\(PersonRow.members))"
                arguments += [person, person]
            }
            let rows = try Row.fetchAll(
                try db.cachedStatement(
                    sql: """
                        SELECT p.store, p.original FROM purchase p
                        WHERE p.store IN (\(Self.places(stores.count))) AND p.ends BETWEEN ? AND ? AND p.rest <= ?
                            AND (p.looked < ? OR (p.looked < p.ends AND p.ends <= ?)) AND EXISTS (\(claimed))
                        ORDER BY p.rest, p.looked, p.store, p.original LIMIT ?
                        """),
                arguments: arguments + [max(0, limit)])
            return try rows.compactMap { row in
                let purchase = PurchaseKey(
                    store: try StateRow.name(row, 0, "purchase") { StoreName($0) },
                    original: try StateRow.text(row, 1, "purchase"))
                return try PurchaseRow.last(of: TransactionRow.all(db, of: purchase)).map {
                    Recheck(transaction: $0, receipt: try Self.receipt(db, of: purchase))
                }
            }
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
