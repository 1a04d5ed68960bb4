import Foundation
import Settings
import Testing

@testable import Backends

@Suite("Concurrency limits of pooled backends") struct PoolLimitTests {
    /// From the configurations of the guides; the one for directories uses the default.
    @Test(
        "A backend with a pool reports its size as the limit, and other backends set no limit",
        arguments: [
            ("postgresql", "readers", 10), ("odbc-mariadb", "legacy", 8), ("ldap", "directory", 8),
            ("process", "program", 2), ("pugpig", "before", nil),
        ] as [(String, String, Int?)])
    func maxConcurrent(file: String, backend: String, maxConcurrent: Int?) throws {
        let names = ["POSTGRESQL_PASSWORD", "ODBC_PASSWORD", "LDAP_SERVICE_PASSWORD", "GATEFOLD_LEGACY_PASSWORD"]
        let text = try String(
            contentsOf: fixtures.appending(path: "Configurations/\(file).yaml"), encoding: .utf8)
        let top = try YAMLSettings.read(
            text: text.replacing("authority.pem", with: "/etc/hosts"), name: "gatefold.yaml", folder: fixtures.path,
            environment: Dictionary(uniqueKeysWithValues: names.map { ($0, "a secret") }))
        let kind = try BackendRegistry.read(name: backend, settings: try top.section("backends").section(backend))
        #expect(kind.maxConcurrent == maxConcurrent)
    }
}
