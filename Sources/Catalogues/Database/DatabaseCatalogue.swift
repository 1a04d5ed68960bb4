import Backends
import Gatefold
import Settings

/// The editions that a statement of the publisher's answers with.
struct DatabaseCatalogue: CatalogueSource {
    let rows: @Sendable () async throws -> SQLRows
    let columns: CatalogueColumns

    func fetch(after known: KnownCatalogue) async throws -> CatalogueAnswer {
        .read(try columns.read(try await rows()))
    }
}

/// `kind: postgresql`
struct PostgreSQLCatalogueKind: CatalogueSourceKind {
    static let name = "postgresql"
    private let query: PublisherQuery
    private let columns: CatalogueColumns

    init(_ settings: SettingsSection) throws(SettingsError) {
        query = try PublisherQuery(settings, statement: "query", in: .postgreSQL)
        columns = try CatalogueColumns(settings)
    }

    func open() throws -> any CatalogueSource { DatabaseCatalogue(rows: try query.open(), columns: columns) }
}

/// `kind: odbc`
struct ODBCCatalogueKind: CatalogueSourceKind {
    static let name = "odbc"
    private let query: PublisherQuery
    private let columns: CatalogueColumns

    init(_ settings: SettingsSection) throws(SettingsError) {
        query = try PublisherQuery(settings, statement: "query", in: .odbc)
        columns = try CatalogueColumns(settings)
    }

    func open() throws -> any CatalogueSource { DatabaseCatalogue(rows: try query.open(), columns: columns) }
}

/// `kind: sqlite`
struct SQLiteCatalogueKind: CatalogueSourceKind {
    static let name = "sqlite"
    private let query: SQLiteCatalogueQuery
    private let columns: CatalogueColumns

    init(_ settings: SettingsSection) throws(SettingsError) {
        guard let path = try settings.filePath("path") else {
            throw settings.error("path", expected: "missing; expected the path of the database")
        }
        query = SQLiteCatalogueQuery(
            path: path, statement: try settings.requiredString("query", expected: "a statement such as SELECT"))
        columns = try CatalogueColumns(settings)
    }

    func open() throws -> any CatalogueSource { DatabaseCatalogue(rows: query.rows, columns: columns) }
}
