import SQLAccess
import Settings

/// A source of editions that a SQL statement of the publisher returns.
struct DatabaseCatalogue: CatalogueSource {
    let rows: @Sendable () async throws -> SQLRows
    let columns: CatalogueColumns

    func fetch(after known: KnownCatalogue) async throws -> CatalogueResult {
        .read(try columns.read(try await rows(), known: known.catalogue))
    }
}

/// A kind of database, and the statement that runs in it.
protocol CatalogueQuery: Sendable {
    /// The value of `kind` in the configuration.
    static var kind: String { get }

    init(_ settings: SettingsSection) throws(SettingsError)

    /// Returns the closure that runs the query. Connects to nothing yet.
    func open() throws -> @Sendable () async throws -> SQLRows
}

/// A catalogue source for one kind of database: the settings of the statement, and the mapping of its columns.
struct DatabaseCatalogueKind<Query: CatalogueQuery>: CatalogueSourceKind {
    static var name: String { Query.kind }
    private let query: Query
    private let columns: CatalogueColumns

    init(_ settings: SettingsSection) throws(SettingsError) {
        query = try Query(settings)
        columns = try CatalogueColumns(settings)
    }

    func open() throws -> any CatalogueSource { DatabaseCatalogue(rows: try query.open(), columns: columns) }
}
