import PostgreSQL

/// Changes in a PostgreSQL database.
struct PostgreSQLCommandExecutor: SQLCommandExecutor {
    private let pool: ConnectionPool<PostgreSQLConnection>
    private let limits: PostgreSQLConnection.Limits
    private let statements: SQLCommandStatements
    private let isPrepared = AtomicFlag()

    init(_ settings: PostgreSQLSettings, _ statements: SQLCommandStatements, library: LibPQ) {
        let server = settings.server
        let canceller = Canceller()
        // The pool may repeat a change on a new connection, like a query, because the marker prevents a second
        // effect.
        pool = ConnectionPool(
            size: settings.poolSize, idleLifetime: settings.idleLifetime,
            open: { PostgreSQLConnection(library, server, canceller: canceller) },
            isConnectionLoss: { ($0 as? PostgreSQLError)?.isConnectionLoss ?? false })
        limits = PostgreSQLConnection.Limits(rows: SQLStatement.maxRows, time: settings.responseTimeout)
        self.statements = statements
    }

    func make(_ change: SQLChange) async throws -> SQLChange.Outcome {
        let (statements, limits, isPrepared) = (statements, limits, isPrepared)
        do {
            return try await pool.use { connection in
                let transaction = PostgreSQLTransaction(connection: connection, limits: limits)
                if let creation = statements.creation, !isPrepared.isSet {
                    try transaction.create(creation.sql)
                    isPrepared.set()
                }
                return try transaction.make(change, statements)
            }
        } catch let error as PostgreSQLError {
            switch error {
            case .interrupted: throw CancellationError()
            case .serverError(let state), .valueRejected(let state):
                let failure = PostgreSQLFailure(error: error)
                guard SQLCommandRejected.isRejection(sqlState: state) else { throw failure }
                throw SQLCommandRejected(cause: failure.cause)
            default: throw PostgreSQLFailure(error: error)
            }
        }
    }
}

private struct PostgreSQLTransaction: SQLTransaction {
    let connection: PostgreSQLConnection
    let limits: PostgreSQLConnection.Limits

    /// Starts a transaction that permits changes, regardless of the default of the account or the settings.
    func begin() throws { _ = try connection.change("BEGIN READ WRITE", [], limits) }

    /// Creates a table unless it exists. IF NOT EXISTS fails if another node creates it at the same time. The repetition then
    /// finds the table.
    func create(_ sql: String) throws {
        for isLast in [false, true] {
            do {
                try begin()
                _ = try run(sql, [])
                return try commit()
            } catch let error as PostgreSQLError {
                guard !isLast, case .serverError = error else { throw error }
                try rollBack()
            }
        }
    }

    func run(_ sql: String, _ values: [String?]) throws -> Int? { try connection.change(sql, values, limits) }

    func hasRow(_ sql: String, _ values: [String?]) throws -> Bool {
        try !connection.query(sql, values, limits).rows.isEmpty
    }

    /// Commits the transaction. If a statement in it failed, COMMIT rolls back without reporting an error.
    func commit() throws {
        _ = try connection.change("COMMIT", [], limits)
    }

    func rollBack() throws {
        if connection.isInTransaction { _ = try connection.change("ROLLBACK", [], limits) }
    }
}
