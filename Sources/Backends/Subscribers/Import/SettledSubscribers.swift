import Foundation
import State

/// The subscribers to whom an active import was applied because they were read or changed, counted for its report.
///
/// Each of these transactions inserts a row of its own. Readers of different subscribers would otherwise wait for one
/// another, to change the numbers in the row of the import. The rows are among the staged ones, under the negative number
/// of the import. No import has that number, so that those of an interrupted import are deleted like abandoned rows.
struct SettledSubscribers {
    /// A change, by the column of the import that counts it otherwise.
    enum Change: String, CaseIterable {
        case added, replaced, removed
    }

    let importID: Int64

    func add(_ change: Change, of identifier: String, _ db: any StateTransaction) throws {
        try db.execute(
            "INSERT INTO staged (import, identifier, row) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            [-importID, identifier, Data(change.rawValue.utf8)])
    }

    func counts(_ db: any StateTransaction) throws -> [Change: Int] {
        var counts: [Change: Int] = [:]
        for change in Change.allCases {
            counts[change] = try db.count(
                "SELECT count(*) FROM staged WHERE import = ? AND row = ?", [-importID, Data(change.rawValue.utf8)])
        }
        return counts
    }

    /// Deletes a batch of the rows, in the caller's transaction.
    ///
    /// - Returns: Whether more rows may exist.
    func delete(_ limit: Int, _ db: any StateTransaction) throws -> Bool {
        try db.execute(
            "DELETE FROM staged WHERE sequence IN (SELECT sequence FROM staged WHERE import = ? LIMIT ?)",
            [-importID, limit]) == limit
    }
}
