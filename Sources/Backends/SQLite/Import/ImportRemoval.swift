import GRDB

/// Removes subscribers whom an import did not write, but who registered by themselves: no file of the operator's has those.
enum ImportRemoval {
    /// Looks at some subscribers, in the order of their numbers and in the caller's transaction.
    ///
    /// - Returns: the number of the last that was looked at, or `last` when there are no more, and how many went.
    static func remove(
        besides importID: Int64, after first: Int64, upTo last: Int64, most: Int, _ db: Database
    ) throws -> (end: Int64, removed: Int) {
        let end =
            try Int64.fetchOne(
                db, sql: "SELECT id FROM subscriber WHERE id > ? AND id <= ? ORDER BY id LIMIT 1 OFFSET ?",
                arguments: [first, last, most - 1]) ?? last
        try db.execute(
            sql: "DELETE FROM subscriber WHERE id > ? AND id <= ? AND import IS NOT ? AND registered IS NULL",
            arguments: [first, end, importID])
        return (end, db.changesCount)
    }
}
