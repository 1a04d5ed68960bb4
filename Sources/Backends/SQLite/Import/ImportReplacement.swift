import GRDB

/// Replaces a row that was registered through self-service by a row of the operator, inside the caller's
/// transaction.
///
/// The first client to register an identifier need not be the reader of that name. Therefore the new row gets a
/// number of its own and no password, and the tokens, tickets and password of the registered row become invalid.
/// Data that the operator has given to the row meanwhile stays.
struct ImportReplacement {
    private let copy: Statement
    private let rename: Statement
    private let move: [Statement]
    private let delete: Statement
    private let db: Database

    init(_ db: Database) throws {
        self.db = db
        // No valid identifier contains a control character, so this temporary identifier matches no reader until
        // the row is deleted.
        rename = try db.makeStatement(sql: "UPDATE subscriber SET identifier = char(10) || id WHERE id = ?")
        copy = try db.makeStatement(
            sql: """
                INSERT INTO subscriber (identifier, state, message, all_editions, updated, awaits_password)
                SELECT ?1, state, message, all_editions, updated, 1 FROM subscriber WHERE id = ?2
                """)
        move = try ["period", "edition", "category"].map {
            try db.makeStatement(sql: "UPDATE \($0) SET subscriber = ? WHERE subscriber = ?")
        }
        delete = try db.makeStatement(sql: "DELETE FROM subscriber WHERE id = ?")
    }

    /// - Returns: The number of the new row.
    func place(of registered: Int64, identifier: String) throws -> Int64 {
        try rename.execute(arguments: [registered])
        try copy.execute(arguments: [identifier, registered])
        let id = db.lastInsertedRowID
        for statement in move { try statement.execute(arguments: [id, registered]) }
        try delete.execute(arguments: [registered])
        return id
    }
}
