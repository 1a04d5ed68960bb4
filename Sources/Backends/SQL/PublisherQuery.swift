import ODBC
import PostgreSQL
package import Settings

/// One statement without parameters in a publisher's database, for whoever reads something else there than subscribers.
///
/// Takes the same settings for the connection as the backends of these kinds, and one connection.
package struct PublisherQuery: Sendable {
    /// How the database is reached.
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

    /// - Parameter key: the setting that has the statement.
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

    /// Makes what asks; connects to nothing yet. What it asks throws a `BackendFailure` whose cause quotes nothing the server
    /// said, also for more than 100,000 rows.
    ///
    /// - Throws: `SharedLibraryError` where the database's library is not installed.
    package func open() throws -> @Sendable () async throws -> SQLRows {
        let database: any SQLDatabase =
            switch connection {
            case .postgreSQL(let settings): PostgreSQLDatabase(settings, library: try LibPQ(), spare: 1)
            case .odbc(let settings): ODBCDatabase(try ODBCLibrary.load(), settings, spare: 1)
            }
        return { [statement] in try await database.rows(statement, [:]) }
    }
}
