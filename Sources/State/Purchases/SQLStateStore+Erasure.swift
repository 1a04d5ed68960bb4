import Foundation
public import Gatefold

extension SQLStateStore {
    public func erase(_ owner: PurchaseOwner) async throws -> Int {
        _ = try await eraseTimeline(of: [.owner(owner)])
        return try await database.write { db in
            let key = Data(owner.bytes)
            var removed = 0
            func delete(_ sql: String, _ arguments: StateArguments) throws {
                removed += try db.execute(sql, arguments)
            }
            let claimed = try db.rows("SELECT store, original FROM claim WHERE owner = ?", [key])
            try delete("DELETE FROM claim WHERE owner = ?", [key])
            try delete("DELETE FROM receipt WHERE owner = ?", [key])
            // The owners linked to this owner lose its purchases.
            try PersonRow.deleteUnclaimedReceipts(db, PersonRow.person(db, of: owner))
            try delete("DELETE FROM owner_link WHERE owner = ? OR subscriber = ?", [key, key])
            for row in claimed {
                let purchase: StateArguments = [
                    try StateRow.text(row, 0, "claim"), try StateRow.text(row, 1, "claim"),
                ]
                let isClaimed = try db.isTrue(
                    "SELECT EXISTS (SELECT 1 FROM claim WHERE store = ? AND original = ?)", purchase)
                if isClaimed { continue }
                // Revoked transactions are retained, so that an old receipt cannot reinstate them.
                try delete(
                    "DELETE FROM store_transaction WHERE store = ? AND original = ? AND revoked IS NULL", purchase)
                try delete(
                    """
                    DELETE FROM purchase WHERE store = ? AND original = ? AND NOT EXISTS (
                        SELECT 1 FROM store_transaction t WHERE t.store = purchase.store AND t.original = purchase.original)
                    """, purchase)
            }
            // The row is retained, so that the transaction is never credited again.
            try db.execute(
                "UPDATE delivery SET owner = ?, account = NULL, price = NULL, currency = NULL WHERE owner = ?",
                [Data(), key])
            return removed
        }
    }
}
