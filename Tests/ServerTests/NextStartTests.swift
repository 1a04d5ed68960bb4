import FrontDoors
import Logging
import Settings
import TestSupport
import Testing

@testable import Server

@Suite("Configuration reload")
struct NextStartTests {
    private func read(_ text: String) throws -> GatefoldConfiguration {
        let environment = ConfigurationTests.environment
        return try GatefoldConfiguration(
            try YAMLSettings.read(text: text, name: "gatefold.yaml", folder: "/srv", environment: environment))
    }

    @Test("Names exactly the settings that take effect at the next start")
    func keys() throws {
        let old = try read(ConfigurationTests.minimal)
        #expect(try read(ConfigurationTests.minimal + "\n    policy: access").keysForNextStart(after: old).isEmpty)
        let next = try read(
            ConfigurationTests.minimal.replacing("{env: PSEUDONYMS}", with: "{env: OTHER}") + """

                server: {listen: "127.0.0.1:9", admin_listen: "127.0.0.1:10", shutdown_grace: 5s, limits: {max_requests: 99}}
                log: {level: debug}
                login_throttle: {window: 1m}
                passwords: {workers: 3}
                timeline: {retention: 30d}
                """)
        #expect(
            next.keysForNextStart(after: old) == [
                "server.listen", "server.admin_listen", "server.shutdown_grace", "server.limits", "log", "state",
                "login_throttle", "passwords", "timeline",
            ])
    }

    private func endpoints(_ state: ServingState) throws -> [String] {
        let inPlayer = try #require(state.frontDoors.lazy.compactMap { $0 as? InPlayerSnapshot }.first)
        return inPlayer.notifications.keys.map(\.endpoint)
    }

    @Test("Reports the notification endpoint of the start to apps while its broker is in use")
    func notifications() async throws {
        let text = { (endpoint: String) in
            ConfigurationTests.minimal + "\nnotifications: {broker: 'mqtt://127.0.0.1:1', endpoint: \(endpoint)}\n"
        }
        let settings = try #require(try read(text("old.example")).notifications)
        try await withParts(text("new.example")) { parts, next async throws in
            var parts = parts
            let without = try parts.assemble(next)
            #expect(try endpoints(without).isEmpty)
            parts.notificationPublisher = MQTTNotificationPublisher(
                settings, random: .seeded(1), observe: { _ in })
            let with = try parts.assemble(next)
            #expect(try endpoints(with) == ["old.example"])
        }
    }
}
