import ODBC
import PostgreSQL
package import Settings

/// A statement without parameters in a publisher's database, for callers that read data other than subscribers.
///
/// It takes the same connection settings as the backends of these kinds, and uses one connection.
package struct PublisherQuery: Sendable {
    /// The interface to the database.
    package enum System: Sendable {
        case postgreSQL
        case odbc
    }

    private enum Connection {
        case postgreSQL(PostgreSQLSettings)
        case odbc(ODBCConnectionSettings)
    }

    private let connection: Connection
    private let statement: SQLStatement

    /// - Parameter key: The setting that holds the statement.
    package init(
        _ settings: SettingsSection, statement key: String, in system: System
    ) throws(SettingsError) {
        switch system {
        case .postgreSQL:
            var server = try PostgreSQLSettings(settings)
            server.poolSize = 1
            connection = .postgreSQL(server)
        case .odbc:
            var server = try ODBCConnectionSettings(settings)
            server.poolSize = 1
            connection = .odbc(server)
        }
        let text = try settings.requiredString(key, expected: "a statement such as SELECT")
        do {
            statement = try SQLStatement(text, dialect: system == .odbc ? .odbc : .postgreSQL)
        } catch {
            throw settings.error(key, expected: error.description)
        }
        guard statement.parameters.isEmpty else {
            throw settings.error(key, expected: "expected a statement without parameters")
        }
    }

    /// Creates the function that runs the query, without connecting. The function throws a `BackendFailure` if the
    /// query fails or returns more than 100,000 rows. The cause of the failure quotes no text from the server.
    ///
    /// - Throws: `SharedLibraryError` if the library of the database is not installed.
    package func open() throws -> @Sendable () async throws -> SQLRows {
        let database: any SQLDatabase =
            switch connection {
            case .postgreSQL(let settings): PostgreSQLDatabase(settings, library: try LibPQ(), replacementThreads: 1)
            case .odbc(let settings): ODBCDatabase(try ODBCLibrary.load(), settings, replacementThreads: 1)
            }
        return { [statement] in try await database.rows(statement, [:]) }
    }
}
