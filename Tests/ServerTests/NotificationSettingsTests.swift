import Foundation
import MQTT
import NIOSSL
import Settings
import TestSupport
import Testing

@testable import Server

@Suite("Notification settings")
struct NotificationSettingsTests {
    private func read(_ yaml: String, in folder: String = "/etc/gatefold") throws -> NotificationBrokerSettings {
        try NotificationBrokerSettings(
            try YAMLSettings.read(
                text: yaml, name: "gatefold.yaml", folder: folder, environment: ["PASSWORD": "s3cret"]))
    }

    @Test("All settings except the broker have defaults")
    func defaults() throws {
        let settings = try read("{broker: 'mqtt://127.0.0.1'}")
        #expect(settings.broker.port == 1883)
        #expect(settings.endpoint == nil && settings.clientID == nil && settings.user == nil)
        #expect(settings.region == "eu-west-1")
        #expect(settings.queue == 10_000)
    }

    @Test("Reads all keys, with the TLS files")
    func all() async throws {
        try await withTemporaryFolder { folder in
            let authority = try await TestAuthority("broker-ca", in: folder)
            let issued = try await authority.issue("client", names: "DNS:client.example")
            let settings = try read(
                """
                broker: wss://broker.example.com/path
                user: gatefold
                password: {env: PASSWORD}
                ca: \(authority.certificate)
                certificate: client.pem
                key: \(issued.key)
                client_id: gatefold-1
                endpoint: "notices.daily.example:8443"
                region: us-east-1
                max_queued: 5
                """, in: folder.path)
            #expect(settings.broker.webSocketTarget == "/path")
            #expect(settings.broker.tls?.certificateChain.count == 1)
            #expect(settings.password == "s3cret")
            #expect(settings.endpoint == "notices.daily.example:8443")
        }
    }

    @Test(
        "Rejects unusable values with the expected value",
        arguments: [
            ("{}", "broker", "missing"), ("{broker: 'http://x'}", "broker", "mqtts://"),
            ("{broker: 'mqtt://u:p@x'}", "broker", "without a user"),
            ("{broker: 'mqtt://x', password: {env: PASSWORD}}", "password", "needs `user`"),
            ("{broker: 'mqtt://x', user: a, password: s3cret}", "password", "{file: PATH}"),
            ("{broker: 'mqtts://x', ca: none.pem}", "ca", "certificates in PEM at /etc/gatefold/none.pem"),
            ("{broker: 'mqtts://x', certificate: none.pem}", "certificate", "together"),
            ("{broker: 'mqtt://x', client_id: 'a b'}", "client_id", "letters"),
            ("{broker: 'mqtt://x', endpoint: 'wss://x'}", "endpoint", "expected a host"),
            ("{broker: 'mqtt://x', region: ''}", "region", "eu-west-1"),
            ("{broker: 'mqtt://x', brokr: y}", "brokr", "did you mean `broker`"),
        ])
    func errors(_ yaml: String, _ key: String, _ message: String) throws {
        let error = try #require(throws: SettingsError.self) { try read(yaml) }
        #expect(error.key == key)
        #expect(error.expected.contains(message), "\(error)")
    }
}
