import SQLAccess
import Settings

/// The catalogue source `kind: postgresql`.
struct PostgreSQLCatalogueQuery: CatalogueQuery {
    static let kind = "postgresql"
    private let query: PublisherQuery

    init(_ settings: SettingsSection) throws(SettingsError) {
        query = try PublisherQuery(settings, statement: "query", in: .postgreSQL)
    }

    func open() throws -> @Sendable () async throws -> SQLRows { try query.open() }
}

/// The catalogue source `kind: odbc`.
struct ODBCCatalogueQuery: CatalogueQuery {
    static let kind = "odbc"
    private let query: PublisherQuery

    init(_ settings: SettingsSection) throws(SettingsError) {
        query = try PublisherQuery(settings, statement: "query", in: .odbc)
    }

    func open() throws -> @Sendable () async throws -> SQLRows { try query.open() }
}
