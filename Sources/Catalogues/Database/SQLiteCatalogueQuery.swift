import GRDB
import SQLAccess
import Settings

/// The catalogue source `kind: sqlite`.
///
/// It runs one statement in a SQLite database of the publisher. The database is opened read-only for each fetch and
/// then closed, so that the file may be replaced between two fetches.
struct SQLiteCatalogueQuery: CatalogueQuery {
    static let kind = "sqlite"
    private let path: String
    private let statement: String

    init(_ settings: SettingsSection) throws(SettingsError) {
        guard let path = try settings.filePath("path") else {
            throw settings.error("path", expected: "missing; expected the path of the database")
        }
        self.path = path
        statement = try settings.requiredString("query", expected: "a statement such as SELECT")
    }

    func open() -> @Sendable () async throws -> SQLRows { rows }

    @Sendable private func rows() async throws -> SQLRows {
        do {
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(5)
            let database = try DatabaseQueue(path: path, configuration: configuration)
            return try await database.read { [statement] in try Self.rows(of: statement, in: $0) }
        } catch let error as DatabaseError {
            if error.resultCode == .SQLITE_INTERRUPT, Task.isCancelled { throw CancellationError() }
            // SQLite's error message is omitted, because it may quote the statement.
            throw CatalogueFailure.query("SQLite returned code \(error.extendedResultCode.rawValue)")
        }
    }

    private static func rows(of sql: String, in database: Database) throws -> SQLRows {
        let statement = try database.makeStatement(sql: sql)
        guard statement.isReadonly else { throw CatalogueFailure.query("the statement is not read-only") }
        let columns = statement.columnNames
        var rows: [[String?]] = []
        let cursor = try Row.fetchCursor(statement)
        while let row = try cursor.next() {
            guard rows.count < CatalogueReader.maxItems else { throw CatalogueFailure.tooManyEditions }
            rows.append(row.databaseValues.map(text))
        }
        return SQLRows(columns: columns, rows: rows)
    }

    private static func text(_ value: DatabaseValue) -> String? {
        switch value.storage {
        case .null: nil
        case .int64(let number): String(number)
        case .double(let number): String(number)
        case .string(let text): text
        case .blob(let data): String(validating: data, as: UTF8.self)
        }
    }
}
