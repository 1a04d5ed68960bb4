public import ODBC

extension ODBCConnection: PooledConnection {}

/// A database behind an ODBC driver.
package struct ODBCDatabase: SQLDatabase {
    private let pool: ConnectionPool<ODBCConnection>

    package init(
        _ library: ODBCLibrary, _ settings: ODBCConnectionSettings,
        replacementThreads: Int = ConnectionPool<ODBCConnection>.replacementThreads
    ) {
        pool = ConnectionPool(
            size: settings.poolSize, replacementThreads: replacementThreads,
            idleLifetime: .seconds(settings.idleLifetime),
            open: { try ODBCConnection(library, to: settings.string, settings.options) },
            isConnectionLoss: { ($0 as? ODBCError)?.isConnectionLoss ?? false })
    }

    /// The number of idle connections, available for further queries.
    package var idleCount: Int { pool.idleCount }

    package func rows(_ statement: SQLStatement, _ values: [String: String]) async throws -> SQLRows {
        let bound = statement.bound
        let parameters = bound.parameters.map { values[$0] }
        do {
            let result = try await pool.use { connection in try Self.query(connection, bound.sql, parameters) }
            return SQLRows(columns: result.columns, rows: result.rows)
        } catch let error as ODBCError {
            switch error {
            case .tooManyRows: throw SQLResultError.tooManyRows
            case .noColumns: throw SQLResultError.noRows
            default: throw ODBCFailure(error: error, isValueError: false)
            }
        }
    }

    /// Runs a query and classifies its error. Some errors do not reveal whether a value or the database is at
    /// fault. If the same statement succeeds with NULL instead of the values, the database works and a value is at
    /// fault.
    private static func query(
        _ connection: ODBCConnection, _ sql: String, _ parameters: [String?]
    ) throws -> ODBCRows {
        let first = Result { () throws(ODBCError) in try connection.rows(sql, parameters) }
        guard case .failure(let error) = first, error.mayBeValueError, parameters.contains(where: { $0 != nil }) else {
            return try first.get()
        }
        let nothing = [String?](repeating: nil, count: parameters.count)
        guard (try? connection.rows(sql, nothing)) != nil else { throw error }
        throw ODBCFailure(error: error, isValueError: true)
    }
}

/// A failed query through ODBC.
package struct ODBCFailure: SQLDatabaseFailure, Equatable {
    package let error: ODBCError
    package let isValueError: Bool

    package var isRequestScoped: Bool { isValueError || error.isDataError }
    package var cause: String { error.description }
}
