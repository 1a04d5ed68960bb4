import Backends
import Gatefold
import Settings

/// The editions that a statement of the publisher's answers with.
struct DatabaseCatalogue: CatalogueSource {
    let rows: @Sendable () async throws -> SQLRows
    let columns: CatalogueColumns

    func fetch(after known: KnownCatalogue) async throws -> CatalogueAnswer {
        .read(try columns.read(try await rows(), known: known.catalogue))
    }
}

/// One kind of database, and the statement in it.
protocol CatalogueQuery: Sendable {
    /// The value of `kind` in the configuration.
    static var kind: String { get }

    init(_ settings: SettingsSection) throws(SettingsError)

    /// Makes what asks; asks nobody yet.
    func open() throws -> @Sendable () async throws -> SQLRows
}

/// A kind of database as a source: the statement's settings, and what its columns mean.
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
