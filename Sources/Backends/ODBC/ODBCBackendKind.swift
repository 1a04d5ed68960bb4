public import Gatefold
import ODBC
import SQLAccess
public import Settings

/// A publisher's own tables in any database that has an ODBC driver, `kind: odbc`.
public struct ODBCBackendKind: BackendKind {
    public static let name = "odbc"

    private let name: String
    private let connection: ODBCConnectionSettings
    private let queries: SQLQueries
    private let mapping: SubscriptionMapping

    public init(name: String, settings: SettingsSection) throws(SettingsError) {
        self.name = name
        connection = try ODBCConnectionSettings(settings)
        // No standard attribute makes every driver reject changes.
        queries = try SQLQueries(settings, dialect: .odbc, isReadOnly: false)
        mapping = try SubscriptionMapping(try settings.section("subscription"))
    }

    public var checkedProofs: Set<String>? { queries.checkedProofs }

    public var varyingFields: Set<String> { queries.requestFields }
    public var decidesEditions: Bool { queries.verdict != nil }
    public var maxConcurrent: Int? { connection.poolSize }

    /// Creates the backend without connecting, because the database may be down.
    ///
    /// - Throws: `SharedLibraryError` if unixODBC is not installed.
    public func open(_ services: BackendServices) throws -> any SubscriberBackend {
        SQLSubscriberBackend(
            name: name, database: ODBCDatabase(try ODBCLibrary.load(), connection), queries: queries, mapping: mapping,
            services: services)
    }
}
