/// A database that answers a publisher's own statements: what ``SQLSubscriberBackend`` needs of PostgreSQL or of ODBC.
protocol SQLDatabase: Sendable {
    /// Runs a statement with its named parameters bound, never spliced, and returns all rows, at most ``SQLStatement/mostRows``.
    ///
    /// - Parameter values: by the names of the statement's parameters.
    /// - Throws: whenever the rows could not be had to the last one; half an answer is none.
    func rows(_ statement: SQLStatement, _ values: [String: String]) async throws -> [Record]

    /// Throws when the database can not be asked at present.
    func health() async throws
}
