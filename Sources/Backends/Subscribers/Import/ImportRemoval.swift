import State

/// Removal of subscribers that an import did not write. Subscribers who registered through self-service stay,
/// because they are in no file of the operator.
enum ImportRemoval {
    /// The condition of a subscriber that an import removes. Its argument is the number of the import.
    static let condition = "import IS DISTINCT FROM ? AND registered IS NULL"

    /// Checks a batch of subscribers in the order of their numbers, in the caller's transaction.
    ///
    /// - Returns: The number of the last subscriber checked, or `last` if no more exist, and the number of removed
    ///   subscribers.
    static func remove(
        excluding importID: Int64, after first: Int64, upTo last: Int64, limit: Int, _ db: any StateTransaction
    ) throws -> (end: Int64, removed: Int) {
        let end =
            try db.integer(
                "SELECT id FROM subscriber WHERE id > ? AND id <= ? ORDER BY id LIMIT 1 OFFSET ?",
                [first, last, limit - 1]) ?? last
        let removed = try db.execute(
            "DELETE FROM subscriber WHERE id > ? AND id <= ? AND \(condition)", [first, end, importID])
        return (end, removed)
    }
}
