import Gatefold
import PostgreSQL

/// Changes in a PostgreSQL database.
struct PostgreSQLChanges: SQLChanging {
    private let pool: ConnectionPool<PostgreSQLConnection>
    private let limits: PostgreSQLConnection.Limits
    private let statements: SQLChangeStatements
    private let isPrepared = OnceDone()

    init(_ settings: PostgreSQLSettings, _ statements: SQLChangeStatements, library: LibPQ) {
        let server = settings.server
        let canceller = Canceller()
        // A change may be asked for again on a new connection, as a question may: its mark keeps it from being made twice.
        pool = ConnectionPool(
            size: settings.poolSize, idleLifetime: settings.idleLifetime,
            open: { PostgreSQLConnection(library, server, canceller: canceller) },
            isLoss: { ($0 as? PostgreSQLError)?.isLoss ?? false })
        limits = PostgreSQLConnection.Limits(rows: SQLStatement.mostRows, time: settings.answerTimeout)
        self.statements = statements
    }

    func make(_ change: SQLChange) async throws -> SQLChange.Outcome {
        let (statements, limits, isPrepared) = (statements, limits, isPrepared)
        do {
            return try await pool.use { connection in
                let transaction = PostgreSQLTransaction(connection: connection, limits: limits)
                if let creation = statements.creation, !isPrepared.isSet {
                    try transaction.begin()
                    _ = try transaction.run(creation.sql, [])
                    try transaction.commit()
                    isPrepared.set()
                }
                return try transaction.make(change, statements)
            }
        } catch let error as PostgreSQLError {
            switch error {
            case .interrupted: throw CancellationError()
            case .answered(let state), .valueRefused(let state):
                let failure = PostgreSQLFailure(error: error)
                guard SQLChangeRefused.isRefusal(sqlState: state) else { throw failure }
                throw SQLChangeRefused(cause: failure.cause)
            default: throw PostgreSQLFailure(error: error)
            }
        }
    }
}

private struct PostgreSQLTransaction: SQLTransaction {
    let connection: PostgreSQLConnection
    let limits: PostgreSQLConnection.Limits

    /// Whatever the account's or the settings' default: here something is to be changed.
    func begin() throws { _ = try connection.change("BEGIN READ WRITE", [], limits) }

    func run(_ sql: String, _ values: [String?]) throws -> Int? { try connection.change(sql, values, limits) }

    func hasRow(_ sql: String, _ values: [String?]) throws -> Bool {
        try !connection.query(sql, values, limits).rows.isEmpty
    }

    /// A transaction in which a statement failed is rolled back by COMMIT, which is no error there.
    func commit() throws {
        _ = try connection.change("COMMIT", [], limits)
    }

    func rollBack() throws {
        if connection.isInTransaction { _ = try connection.change("ROLLBACK", [], limits) }
    }
}
