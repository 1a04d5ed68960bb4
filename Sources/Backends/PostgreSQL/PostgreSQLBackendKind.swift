public import Gatefold
import PostgreSQL
import SQLAccess
public import Settings

/// The publisher's own tables in PostgreSQL, `kind: postgresql`.
public struct PostgreSQLBackendKind: BackendKind {
    public static let name = "postgresql"

    private let name: String
    private let database: PostgreSQLSettings
    private let queries: SQLQueries
    private let mapping: SubscriptionMapping

    public init(name: String, settings: SettingsSection) throws(SettingsError) {
        self.name = name
        database = try PostgreSQLSettings(settings)
        queries = try SQLQueries(settings, dialect: .postgreSQL, isReadOnly: database.isReadOnly)
        mapping = try SubscriptionMapping(try settings.section("subscription"))
    }

    public var checkedProofs: Set<String>? { queries.checkedProofs }

    public var varyingFields: Set<String> { queries.requestFields }
    public var decidesEditions: Bool { queries.verdict != nil }

    public var maxConcurrent: Int? { database.poolSize }

    public func open(_ services: BackendServices) throws -> any SubscriberBackend {
        SQLSubscriberBackend(
            name: name, database: PostgreSQLDatabase(database, library: try LibPQ()), queries: queries,
            mapping: mapping, services: services)
    }
}
