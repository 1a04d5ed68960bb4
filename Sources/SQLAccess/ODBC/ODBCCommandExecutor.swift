import ODBC

/// Changes in a database behind an ODBC driver.
struct ODBCCommandExecutor: SQLCommandExecutor {
    private let pool: ConnectionPool<ODBCConnection>
    private let statements: SQLCommandStatements
    private let isPrepared = AtomicFlag()

    init(_ settings: ODBCConnectionSettings, _ statements: SQLCommandStatements, library: ODBCLibrary) {
        // The pool may repeat a change on a new connection, like a query, because the marker prevents a second
        // effect.
        pool = ConnectionPool(
            size: settings.poolSize, idleLifetime: .seconds(settings.idleLifetime),
            open: { try ODBCConnection(library, to: settings.string, settings.options) },
            isConnectionLoss: { ($0 as? ODBCError)?.isConnectionLoss ?? false })
        self.statements = statements
    }

    func make(_ change: SQLChange) async throws -> SQLChange.Outcome {
        let (statements, isPrepared) = (statements, isPrepared)
        do {
            return try await pool.use { connection in
                if let creation = statements.creation, !isPrepared.isSet {
                    _ = try connection.change(creation.sql, [])
                    isPrepared.set()
                }
                return try ODBCTransaction(connection: connection).make(change, statements)
            }
        } catch let error as ODBCError {
            switch error {
            case .interrupted: throw CancellationError()
            case .failed(_, let state, _) where SQLCommandRejected.isRejection(sqlState: state):
                throw SQLCommandRejected(cause: error.description)
            default: throw ODBCFailure(error: error, isValueError: error == .unencodable)
            }
        }
    }
}

private struct ODBCTransaction: SQLTransaction {
    let connection: ODBCConnection

    func begin() throws { try connection.beginTransaction() }
    func run(_ sql: String, _ values: [String?]) throws -> Int? { try connection.change(sql, values) }
    func hasRow(_ sql: String, _ values: [String?]) throws -> Bool { try !connection.rows(sql, values).rows.isEmpty }
    func commit() throws { try connection.endTransaction(committing: true) }
    func rollBack() throws { try connection.endTransaction(committing: false) }
}
