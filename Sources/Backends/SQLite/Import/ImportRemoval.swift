import GRDB

/// Removal of subscribers that an import did not write. Subscribers who registered through self-service stay,
/// because they are in no file of the operator.
enum ImportRemoval {
    /// Checks a batch of subscribers in the order of their numbers, in the caller's transaction.
    ///
    /// - Returns: The number of the last subscriber checked, or `last` if no more exist, and the number of removed
    ///   subscribers.
    static func remove(
        excluding importID: Int64, after first: Int64, upTo last: Int64, limit: Int, _ db: Database
    ) throws -> (end: Int64, removed: Int) {
        let end =
            try Int64.fetchOne(
                db, sql: "SELECT id FROM subscriber WHERE id > ? AND id <= ? ORDER BY id LIMIT 1 OFFSET ?",
                arguments: [first, last, limit - 1]) ?? last
        try db.execute(
            sql: "DELETE FROM subscriber WHERE id > ? AND id <= ? AND import IS NOT ? AND registered IS NULL",
            arguments: [first, end, importID])
        return (end, db.changesCount)
    }
}
