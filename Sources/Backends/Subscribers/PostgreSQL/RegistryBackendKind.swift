import PostgreSQL
public import Primitives
import SQLAccess
public import Settings
import State

/// Subscribers that Gatefold stores in PostgreSQL, so that several nodes share them, `kind: registry`.
public struct RegistryBackendKind: SubscriberDatabaseKind {
    public static let name = "registry"

    public let backend: String
    public let registry: RegistrySettings
    private let database: PostgreSQLSettings
    private let schema: PostgreSQLSchemaName

    public init(name: String, settings: SettingsSection) throws(SettingsError) {
        backend = name
        database = try PostgreSQLSettings(settings, for: .state)
        let text = try settings.string("schema", default: "gatefold_subscribers")
        guard let schema = PostgreSQLSchemaName(text) else {
            throw settings.error(
                "schema",
                expected: "expected up to 63 lower-case letters, digits and underscores, found `\(text)`")
        }
        self.schema = schema
        registry = try RegistrySettings(settings)
    }

    public var maxConcurrent: Int? { database.poolSize }

    /// The subscriptions decide on editions.
    public var decidesEditions: Bool { false }

    public func openDatabase(clock: WallClock) throws -> SubscriberDatabase {
        SubscriberDatabase(
            try PostgreSQLSubscriberStore(database, schema: schema, library: try LibPQ()), clock: clock)
    }
}
