public import PostgreSQL

extension PostgreSQLConnection: PooledConnection {}

/// A PostgreSQL database behind a connection pool.
package struct PostgreSQLDatabase: SQLDatabase {
    private let pool: ConnectionPool<PostgreSQLConnection>
    private let limits: PostgreSQLConnection.Limits

    package init(
        _ settings: PostgreSQLSettings, library: LibPQ,
        replacementThreads: Int = ConnectionPool<PostgreSQLConnection>.replacementThreads
    ) {
        let server = settings.server
        let canceller = Canceller()
        pool = ConnectionPool(
            size: settings.poolSize, replacementThreads: replacementThreads, idleLifetime: settings.idleLifetime,
            open: { PostgreSQLConnection(library, server, canceller: canceller) },
            isConnectionLoss: { ($0 as? PostgreSQLError)?.isConnectionLoss ?? false })
        limits = PostgreSQLConnection.Limits(rows: SQLStatement.maxRows, time: settings.responseTimeout)
    }

    package func rows(_ statement: SQLStatement, _ values: [String: String]) async throws -> SQLRows {
        let (bound, limits) = (statement.bound, limits)
        let ordered = bound.parameters.map { values[$0] }
        do {
            return try await pool.use { connection in
                let result = try connection.query(bound.sql, ordered, limits)
                return SQLRows(columns: result.columns, rows: result.rows)
            }
        } catch let error as PostgreSQLError {
            switch error {
            case .interrupted: throw CancellationError()
            case .noRows: throw SQLResultError.noRows
            case .tooManyRows: throw SQLResultError.tooManyRows
            default: throw PostgreSQLFailure(error: error)
            }
        }
    }
}

/// A PostgreSQL error, described for the log.
package struct PostgreSQLFailure: SQLDatabaseFailure, Equatable {
    package let error: PostgreSQLError

    package init(error: PostgreSQLError) { self.error = error }

    package var isValueError: Bool { error.isValueError }
    package var isRequestScoped: Bool { error.isDataError }

    package var cause: String {
        switch error {
        case .couldNotConnect(let failure): Self.describe(failure)
        case .serverError(let state), .valueRejected(let state):
            "PostgreSQL responded with SQLSTATE \(state)\(Self.meaning(of: state))"
        case .lost: "the connection to PostgreSQL ended before the response"
        case .timedOut: "PostgreSQL did not respond in time"
        case .unexpectedResponse: "the server does not speak PostgreSQL's protocol"
        case .unreadableText: "PostgreSQL returned text that is not UTF-8"
        case .interrupted, .noRows, .tooManyRows: "the query to PostgreSQL was not completed"
        }
    }

    private static func describe(_ failure: ConnectFailure) -> String {
        switch failure {
        case .authentication: "PostgreSQL rejected Gatefold's own account"
        case .tls: "no trusted TLS connection to PostgreSQL"
        case .unsuitableServer: "no PostgreSQL server meets `target_session_attrs`"
        case .serverError(let state):
            "PostgreSQL accepted no connection: SQLSTATE \(state)\(meaning(of: state))"
        case .unexpectedResponse: "the server at PostgreSQL's address hung up or does not speak its protocol"
        case .timedOut: "PostgreSQL accepted no connection in time"
        case .nameNotFound: "the name of PostgreSQL's host cannot be resolved"
        case .unreachable: "PostgreSQL cannot be reached"
        }
    }

    /// Returns a description of the states that a publisher's engineer is likely to meet (PostgreSQL manual,
    /// appendix A).
    private static func meaning(of state: String) -> String {
        switch state {
        case let state where state.hasPrefix("22"): ", a value that is invalid for its type"
        case "25006": ", a change in a read-only transaction"
        case "3D000": ", there is no such database"
        case "42501": ", no permission"
        case "42601": ", a syntax error in the statement"
        case "42703": ", there is no such column"
        case "42883": ", there is no such function or operator for these types"
        case "42P01": ", there is no such table"
        case "42P18": ", a parameter whose type is unknown"
        case "53300": ", too many connections"
        case "57014": ", the statement timeout"
        case "57P01", "57P02": ", the server is shutting down"
        case "57P03": ", the server is starting up"
        default: ""
        }
    }
}
