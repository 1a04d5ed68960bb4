import Backends
public import Gatefold
import TestSupport

/// The tables of the bench of `postgresql`, asked through psqlODBC.
public struct ODBCPostgreSQLBench: BackendBench {
    public static let name = "odbc over PostgreSQL"
    public static let hasStoredHashes = true
    public static let outages = Outage.allCases

    private let direct: PostgreSQLBench

    public static func run(_ body: (ODBCPostgreSQLBench) async throws -> Void) async throws {
        try await PostgreSQLBench.run { try await body(ODBCPostgreSQLBench(direct: $0)) }
    }

    public var instance: PostgreSQLInstance { direct.instance }

    public var environment: [String: String] { [ODBCBenchSettings.passwordVariable: PostgreSQLBench.password] }

    public var settings: String {
        ODBCBenchSettings.text([
            "driver: PostgreSQL Unicode",
            "attributes: {SERVER: 127.0.0.1, PORT: \(direct.proxy.port), DATABASE: readers}",
            "user: gatefold",
            "password: {env: \(ODBCBenchSettings.passwordVariable)}",
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
