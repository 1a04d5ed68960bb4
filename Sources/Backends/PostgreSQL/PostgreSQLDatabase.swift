import Gatefold
import PostgreSQL

extension PostgreSQLConnection: PooledConnection {}

/// A PostgreSQL database behind a pool of connections.
struct PostgreSQLDatabase: SQLDatabase {
    private let pool: ConnectionPool<PostgreSQLConnection>
    private let limits: PostgreSQLConnection.Limits

    init(
        _ settings: PostgreSQLSettings, library: LibPQ, spare: Int = ConnectionPool<PostgreSQLConnection>.spare
    ) {
        let server = settings.server
        let canceller = Canceller()
        pool = ConnectionPool(
            size: settings.poolSize, spare: spare, idleLifetime: settings.idleLifetime,
            open: { PostgreSQLConnection(library, server, canceller: canceller) },
            isLoss: { ($0 as? PostgreSQLError)?.isLoss ?? false })
        limits = PostgreSQLConnection.Limits(rows: SQLStatement.mostRows, time: settings.answerTimeout)
    }

    func rows(_ statement: SQLStatement, _ values: [String: String]) async throws -> SQLRows {
        let (bound, limits) = (statement.bound, limits)
        let ordered = bound.parameters.map { values[$0] }
        do {
            return try await pool.use { connection in
                let answer = try connection.query(bound.sql, ordered, limits)
                return SQLRows(columns: answer.columns, rows: answer.rows)
            }
        } catch let error as PostgreSQLError {
            switch error {
            case .interrupted: throw CancellationError()
            case .noRows: throw SQLAnswerError.noRows
            case .tooManyRows: throw SQLAnswerError.tooManyRows
            default: throw PostgreSQLFailure(error: error)
            }
        }
    }
}

/// An error of PostgreSQL in the words of the log.
struct PostgreSQLFailure: SQLDatabaseFailure, Equatable {
    let error: PostgreSQLError

    var isOfValue: Bool { error.isOfValue }
    var isOfOneAnswer: Bool { error.isOfData }

    var cause: String {
        switch error {
        case .couldNotConnect(let failure): Self.words(failure)
        case .answered(let state), .valueRefused(let state):
            "PostgreSQL answered with SQLSTATE \(state)\(Self.meaning(of: state))"
        case .lost: "the connection to PostgreSQL ended before the answer"
        case .timedOut: "PostgreSQL did not answer in time"
        case .unexpectedAnswer: "what answered does not speak PostgreSQL's protocol"
        case .unreadableText: "PostgreSQL answered with a text that is not UTF-8"
        case .interrupted, .noRows, .tooManyRows: "PostgreSQL was not asked to the end"
        }
    }

    private static func words(_ failure: ConnectFailure) -> String {
        switch failure {
        case .authentication: "PostgreSQL refused Gatefold's own account"
        case .tls: "no trusted TLS connection to PostgreSQL"
        case .unsuitableServer: "no PostgreSQL server is as `target_session_attrs` asks"
        case .answered(let state):
            "PostgreSQL took no connection: SQLSTATE \(state)\(meaning(of: state))"
        case .unexpectedAnswer: "what listens at PostgreSQL's address hung up or does not speak its protocol"
        case .timedOut: "PostgreSQL took no connection in time"
        case .nameNotFound: "the name of PostgreSQL's host can not be looked up"
        case .unreachable: "PostgreSQL can not be reached"
        }
    }

    /// The states that a publisher's engineer meets, in words (PostgreSQL manual, appendix A).
    private static func meaning(of state: String) -> String {
        switch state {
        case let state where state.hasPrefix("22"): ", a value that is none of the type it is taken for"
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
