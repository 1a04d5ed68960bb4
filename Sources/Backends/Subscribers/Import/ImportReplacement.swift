import State

/// Replaces a row that was registered through self-service by a row of the operator, inside the caller's
/// transaction.
///
/// The first client to register an identifier need not be the reader of that name. Therefore the new row gets a
/// number of its own and no password, and the tokens, tickets and password of the registered row become invalid.
/// Data that the operator has given to the row meanwhile stays.
enum ImportReplacement {
    /// - Returns: The number of the new row.
    static func place(of registered: Int64, identifier: String, _ db: any StateTransaction) throws -> Int64 {
        // No valid identifier contains a control character, so this temporary identifier matches no reader until
        // the row is deleted.
        try db.execute("UPDATE subscriber SET identifier = ? WHERE id = ?", ["\n\(registered)", registered])
        let id = try db.inserted(
            """
            INSERT INTO subscriber (identifier, state, message, all_editions, updated, awaits_password)
            SELECT ?, state, message, all_editions, updated, 1 FROM subscriber WHERE id = ? RETURNING id
            """, [identifier, registered])
        for table in SubscriberEntries.tables {
            try db.execute("UPDATE \(table) SET subscriber = ? WHERE subscriber = ?", [id, registered])
        }
        try db.execute("DELETE FROM subscriber WHERE id = ?", [registered])
        return id
    }
}
