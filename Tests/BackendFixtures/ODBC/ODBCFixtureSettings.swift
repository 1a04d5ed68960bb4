/// Common settings of the ODBC fixtures: the same statements for every database.
enum ODBCFixtureSettings {
    static let passwordVariable = "ODBC_PASSWORD"

    /// - Parameter connection: the lines of the section `connection`.
    static func text(_ connection: [String]) -> String {
        """
        kind: odbc
        connection:
        \(connection.map { "  \($0)" }.joined(separator: "\n"))
        login_timeout: 2s
        query_timeout: 2s
        pool: {size: 8}
        queries:
          authenticate: 'SELECT id AS "key", password_hash AS password FROM reader WHERE email = :identifier'
          lookup: 'SELECT id AS "key" FROM reader WHERE email = :identifier'
          subscription: 'SELECT state, everything FROM reader WHERE id = :key'
          editions: 'SELECT edition FROM holding WHERE reader = :key'
        proof: {field: password}
        subscription:
          all_editions: {from: everything}
        """
    }
}
