public import Gatefold
import TestSupport

/// The tables of the `postgresql` fixture, queried through psqlODBC.
public struct ODBCPostgreSQLFixture: BackendFixture {
    public static let name = "odbc over PostgreSQL"
    public static let hasStoredHashes = true
    public static let outages = Outage.allCases

    private let direct: PostgreSQLFixture

    public static func run(_ body: (ODBCPostgreSQLFixture) async throws -> Void) async throws {
        try await PostgreSQLFixture.run { try await body(ODBCPostgreSQLFixture(direct: $0)) }
    }

    public var instance: PostgreSQLInstance { direct.instance }

    public var environment: [String: String] { [ODBCFixtureSettings.passwordVariable: PostgreSQLFixture.password] }

    public var settings: String {
        ODBCFixtureSettings.text([
            "driver: PostgreSQL Unicode",
            "attributes: {SERVER: 127.0.0.1, PORT: \(direct.proxy.port), DATABASE: readers}",
            "user: gatefold",
            "password: {env: \(ODBCFixtureSettings.passwordVariable)}",
        ])
    }

    public func set(_ state: SubscriptionState, of reader: StandardReader) async throws {
        try await direct.set(state, of: reader)
    }

    public func setPassword(_ password: String, of reader: StandardReader) async throws {
        try await direct.setPassword(password, of: reader)
    }

    public func fail(_ outage: Outage) async throws { try await direct.fail(outage) }

    public func recover() async throws { try await direct.recover() }
}
