import Foundation
import Settings
import Testing

@testable import Backends

@Suite("A kind that has a pool") struct PoolLimitTests {
    /// By the guides' configurations, the one for directories with its default.
    @Test(
        "says how many questions it can work on at once, and the others set no limit",
        arguments: [
            ("postgresql", "readers", 10), ("odbc-mariadb", "legacy", 8), ("ldap", "directory", 8),
            ("process", "program", 2), ("pugpig", "before", nil),
        ] as [(String, String, Int?)])
    func most(file: String, backend: String, most: Int?) throws {
        let names = ["POSTGRESQL_PASSWORD", "ODBC_PASSWORD", "LDAP_SERVICE_PASSWORD", "GATEFOLD_LEGACY_PASSWORD"]
        let text = try String(
            contentsOf: fixtures.appending(path: "Configurations/\(file).yaml"), encoding: .utf8)
        let top = try YAMLSettings.read(
            text: text.replacing("authority.pem", with: "/etc/hosts"), name: "gatefold.yaml", folder: fixtures.path,
            environment: Dictionary(uniqueKeysWithValues: names.map { ($0, "a secret") }))
        let kind = try BackendRegistry.read(name: backend, settings: try top.section("backends").section(backend))
        #expect(kind.mostAtOnce == most)
    }
}
