import ODBC
import PostgreSQL
package import Settings

/// The database and the statements of changes: the connection settings with `statements` and `create_table`.
package struct SQLCommandSettings: Sendable {
    /// The kinds of databases, by the value of `kind`.
    package enum Kind: String, Sendable, CaseIterable {
        case postgresql
        case odbc
        case sqlite
    }

    private enum Place: Sendable {
        case postgreSQL(PostgreSQLSettings)
        case odbc(ODBCConnectionSettings)
        case sqlite(path: String)
    }

    private let place: Place
    private let statements: SQLCommandStatements

    /// - Parameter parameters: The names of the values that the statements may use.
    package init(_ kind: Kind, _ settings: SettingsSection, parameters: Set<String>) throws(SettingsError) {
        switch kind {
        case .postgresql: place = .postgreSQL(try PostgreSQLSettings(settings))
        case .odbc: place = .odbc(try ODBCConnectionSettings(settings))
        case .sqlite:
            guard let path = try settings.filePath("path") else {
                throw settings.error("path", expected: "missing; expected the path of the database")
            }
            place = .sqlite(path: path)
        }
        statements = try SQLCommandStatements(
            settings, dialect: kind == .postgresql ? .postgreSQL : .odbc, parameters: parameters)
    }

    /// Creates the database client without connecting.
    ///
    /// - Throws: `SharedLibraryError` if the library is not installed.
    package func open() throws -> any SQLCommandExecutor {
        switch place {
        case .postgreSQL(let settings): PostgreSQLCommandExecutor(settings, statements, library: try LibPQ())
        case .odbc(let settings): ODBCCommandExecutor(settings, statements, library: try ODBCLibrary.load())
        case .sqlite(let path): SQLiteCommandExecutor(path: path, statements)
        }
    }
}
