import ODBC
import PostgreSQL
package import Settings

/// Where changes are made, and which: the settings of a database with `statements` and `create_table`.
package struct SQLChangeSettings: Sendable {
    /// The databases, by the word that `kind` has for them.
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
    private let statements: SQLChangeStatements

    /// - Parameter parameters: the names of the values that the statements may use.
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
        statements = try SQLChangeStatements(
            settings, dialect: kind == .postgresql ? .postgreSQL : .odbc, parameters: parameters)
    }

    /// Connects to nothing yet.
    ///
    /// - Throws: `SharedLibraryError` where the library is not installed.
    package func open() throws -> any SQLChanging {
        switch place {
        case .postgreSQL(let settings): PostgreSQLChanges(settings, statements, library: try LibPQ())
        case .odbc(let settings): ODBCChanges(settings, statements, library: try ODBCLibrary.load())
        case .sqlite(let path): SQLiteChanges(path: path, statements)
        }
    }
}
