import FrontDoors
import Gatefold
import Logging
import Settings
import TestSupport
import Testing

@testable import Server

@Suite("A configuration that is read again")
struct NextStartTests {
    private func read(_ text: String) throws -> GatefoldConfiguration {
        let environment = ConfigurationTests.environment
        return try GatefoldConfiguration(
            try YAMLSettings.read(text: text, name: "gatefold.yaml", folder: "/srv", environment: environment))
    }

    @Test("names the settings that wait for the next start, and no others")
    func keys() throws {
        let old = try read(ConfigurationTests.least)
        #expect(try read(ConfigurationTests.least + "\n    policy: access").keysForNextStart(after: old).isEmpty)
        let next = try read(
            ConfigurationTests.least.replacing("{env: REFERENCES}", with: "{env: OTHER}") + """

                server: {listen: "127.0.0.1:9", admin_listen: "127.0.0.1:10", shutdown_grace: 5s, limits: {max_requests: 99}}
                log: {level: debug}
                guessing: {window: 1m}
                passwords: {workers: 3}
                """)
        #expect(
            next.keysForNextStart(after: old) == [
                "server.listen", "server.admin_listen", "server.shutdown_grace", "server.limits", "log", "state",
                "guessing", "passwords",
            ])
    }

    @Test("tells apps the notices' endpoint of the start, where they are told by its broker")
    func notices() async throws {
        let text = { (endpoint: String) in
            ConfigurationTests.least + "\nnotifications: {broker: 'mqtt://127.0.0.1:1', endpoint: \(endpoint)}\n"
        }
        let settings = try #require(try read(text("old.example")).notices)
        try await withParts(text("new.example")) { parts, next async throws in
            var parts = parts
            let without = try parts.assemble(next)
            #expect(without.noticeKeys.isEmpty)
            parts.noticeboard = NoticePublisher(settings, random: .seeded(1), logger: Logger(label: "test"))
            let with = try parts.assemble(next)
            #expect(with.noticeKeys.values.map(\.endpoint) == ["old.example"])
        }
    }
}
