import Gatefold
import ODBC

extension ODBCConnection: PooledConnection {}

/// A database behind an ODBC driver.
struct ODBCDatabase: SQLDatabase {
    private let pool: ConnectionPool<ODBCConnection>

    init(
        _ library: ODBCLibrary, _ settings: ODBCConnectionSettings, spare: Int = ConnectionPool<ODBCConnection>.spare
    ) {
        pool = ConnectionPool(
            size: settings.poolSize, spare: spare, idleLifetime: .seconds(settings.idleLifetime),
            open: { try ODBCConnection(library, to: settings.string, settings.options) },
            isLoss: { ($0 as? ODBCError)?.isLoss ?? false })
    }

    /// Connections kept for the next question.
    var idleCount: Int { pool.idleCount }

    func rows(_ statement: SQLStatement, _ values: [String: String]) async throws -> SQLRows {
        let bound = statement.bound
        let parameters = bound.parameters.map { values[$0] }
        do {
            let answer = try await pool.use { connection in try Self.ask(connection, bound.sql, parameters) }
            return SQLRows(columns: answer.columns, rows: answer.rows)
        } catch let error as ODBCError {
            switch error {
            case .tooManyRows: throw SQLAnswerError.tooManyRows
            case .noColumns: throw SQLAnswerError.noRows
            default: throw ODBCFailure(error: error, isOfValue: false)
            }
        }
    }

    /// Whether a value or the database is at fault can not be told from every error. Where the same statement is answered
    /// with NULL in place of the values, the database is well.
    private static func ask(
        _ connection: ODBCConnection, _ sql: String, _ parameters: [String?]
    ) throws -> ODBCRows {
        let first = Result { () throws(ODBCError) in try connection.rows(sql, parameters) }
        guard case .failure(let error) = first, error.mayLieInValues, parameters.contains(where: { $0 != nil }) else {
            return try first.get()
        }
        let nothing = [String?](repeating: nil, count: parameters.count)
        guard (try? connection.rows(sql, nothing)) != nil else { throw error }
        throw ODBCFailure(error: error, isOfValue: true)
    }
}

/// Why a database could not be asked through ODBC.
struct ODBCFailure: SQLDatabaseFailure, Equatable {
    let error: ODBCError
    let isOfValue: Bool

    var isOfOneAnswer: Bool { isOfValue || error.isOfData }
    var cause: String { error.description }
}
