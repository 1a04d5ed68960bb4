import ContentGate
import Crypto
import Foundation
import Gatefold
import MQTT
import Mail
import OutgoingRequests
import Push
import Server
import Settings
import Testing
import Transfers

@Suite("Configuration")
struct ConfigurationTests {
    static let environment = [
        "DAILY": "Kq7wN2vR8tYx4mZp-daily", "OTHER": "Lr8xO3wS9uZy5nAq-other",
        "PSEUDONYMS": "Ms9yP4xT0vAz6oBr-pseudonyms", "APNS_KEY": P256.Signing.PrivateKey().pemRepresentation,
    ]

    static let minimal = """
        state: {path: state.sqlite, pseudonym_secret: {env: PSEUDONYMS}}
        backends:
          house: {kind: sqlite, path: house.sqlite}
        publications:
          daily:
            backend: house
            secrets: {env: DAILY}
        """

    private func read(_ text: String) throws -> GatefoldConfiguration {
        let environment = Self.environment
        let top = try YAMLSettings.read(text: text, name: "gatefold.yaml", folder: "/srv", environment: environment)
        let configuration = try GatefoldConfiguration(top)
        try Bootstrap.check(configuration)
        return configuration
    }

    @Test("Requires a state, a backend and a publication, and has safe defaults for the rest")
    func defaults() throws {
        let read = try read(Self.minimal)
        #expect(read.listen.description == "127.0.0.1:8080")
        #expect(read.adminListen == nil)
        #expect(read.trustedProxies.isEmpty)
        let daily = try #require(read.publications.first)
        #expect(!daily.publication.failsOpen)
        #expect(!daily.publication.hasDebugNotes)
        #expect(!daily.publication.issuesFeedPassword)
        #expect(daily.publication.saltFormat == .sealed)
        #expect(!daily.acceptsPlainSalts)
        #expect(daily.publication.rule.policy == .issueBased)
        #expect(daily.content == nil)
    }

    @Test("The example of `config example` is valid with every key")
    func example() throws {
        // The example reads secrets from files. Here they come from the environment instead.
        let text = ExampleConfiguration.text
            .replacing("{file: secrets/pseudonyms}", with: "{env: PSEUDONYMS}")
            .replacing("{file: secrets/daily}", with: "{env: DAILY}")
            .replacing("{file: secrets/test}", with: "{env: OTHER}")
        let read = try read(text)
        #expect(read.publications.map(\.publication.id.rawValue) == ["daily", "test"])
        #expect(read.adminListen?.description == "127.0.0.1:8081")
    }

    @Test("The push example is valid and shows the defaults")
    func pushExample() throws {
        let lines = ExampleConfiguration.text.split(separator: "\n", omittingEmptySubsequences: false)
        let first = try #require(lines.firstIndex { $0.hasSuffix("    # push:") })
        let part = lines[first...].prefix { $0.hasPrefix("    # push:") || $0.hasPrefix("    #   ") }
            .map { $0.replacing("    # ", with: "    ", maxReplacements: 1) }
        #expect(part.count == 15)
        let text = part.joined(separator: "\n").replacing("{file: secrets/apns.p8}", with: "{env: APNS_KEY}")
        let all = try #require(try read("\(Self.minimal)\n\(text)").publications.first?.push)
        let apps = text[try #require(text.range(of: "      apps:")).lowerBound...]
            .replacing("        content_name: true        # whether notifications name the edition", with: "")
        let minimal = try #require(try read("\(Self.minimal)\n    push:\n\(apps)").publications.first?.push)
        #expect(all.apps.map(\.id) == ["com.example.daily"])
        #expect(all.apps.map(\.includesEdition) == minimal.apps.map(\.includesEdition))
        #expect((all.onPublish, all.environment) == (minimal.onPublish, minimal.environment))
        #expect((all.perSecond, all.maxConcurrent) == (minimal.perSecond, minimal.maxConcurrent))
        #expect((all.timeToLive, all.service.timeout) == (minimal.timeToLive, minimal.service.timeout))
        #expect(all.service.production.text == minimal.service.production.text)
        #expect(all.service.sandbox.text == minimal.service.sandbox.text)
    }

    @Test("The mail and notifications examples are valid, except for the files they name")
    func mailAndNotificationsExample() throws {
        let lines = ExampleConfiguration.text.split(separator: "\n", omittingEmptySubsequences: false)
        var text = Self.minimal
        for key in ["mail", "notifications"] {
            let first = try #require(lines.firstIndex { $0 == "# \(key):" })
            text +=
                "\n"
                + lines[first...].prefix { $0.hasPrefix("# \(key):") || $0.hasPrefix("#   ") }
                .map { $0.dropFirst(2) }.joined(separator: "\n")
        }
        text = text.replacing("{file: secrets/mail}", with: "{env: MAIL}")
            .replacing("{file: secrets/broker}", with: "{env: MAIL}")
            .replacing("  ca: broker-ca.pem        # replaces the trusted authorities of the system\n", with: "")
            .replacing("  certificate: client.pem  # a client certificate, if the broker requires one\n", with: "")
            .replacing("  key: client.key\n", with: "")
        let read = try GatefoldConfiguration(
            YAMLSettings.read(
                text: text, name: "gatefold.yaml", folder: "/etc/gatefold",
                environment: Self.environment.merging(["MAIL": "s3cret"]) { $1 }))
        let mail = try #require(read.mail)
        #expect((mail.queue, mail.connections, mail.server.timeout) == (1000, 2, 60))
        #expect(mail.server.login?.user == "gatefold")
        let notifications = try #require(read.notifications)
        #expect(notifications.broker.port == 8883)
        #expect(notifications.endpoint == "notices.daily.example")
        #expect((notifications.region, notifications.queue) == ("eu-west-1", 10_000))
    }

    struct MisconfigurationCase: Sendable {
        let text: String
        let message: String
    }

    @Test(
        "A mistake is reported in one line with place, key and expected value",
        arguments: [
            MisconfigurationCase(
                text: minimal + "\n    policy: everything",
                message: "gatefold.yaml:8: publications.daily.policy: expected one of access, issue, period, backend"),
            MisconfigurationCase(
                text: minimal + "\n    polcy: issue",
                message: "gatefold.yaml:8: publications.daily.polcy: unknown key; expected one of"),
            MisconfigurationCase(
                text: minimal.replacing("backend: house", with: "backend: home"),
                message: "gatefold.yaml:6: publications.daily.backend: expected one of the backends house"),
            MisconfigurationCase(
                text: minimal.replacing("kind: sqlite", with: "kind: oracle"),
                message: "gatefold.yaml:3: backends.house.kind: expected one of chain, feed, http"),
            MisconfigurationCase(
                text: minimal.replacing("path: house.sqlite", with: "pfad: house.sqlite"),
                message: "gatefold.yaml:3: backends.house.path: missing; expected the path of the subscriber database"),
            MisconfigurationCase(
                text: minimal.replacing("{env: DAILY}", with: "{env: NIGHTLY}"),
                message:
                    "gatefold.yaml:7: publications.daily.secrets: expected the environment variable NIGHTLY to be set"),
            MisconfigurationCase(
                text: minimal.replacing("daily:", with: "Daily:"),
                message: "gatefold.yaml:6: publications.Daily: expected a name of lower-case letters"),
            MisconfigurationCase(
                text: minimal.replacing("daily:", with: "sign_in:"),
                message: "gatefold.yaml:6: publications.sign_in: expected a name of lower-case letters"),
            MisconfigurationCase(
                text: minimal + "\n  weekly: {backend: house, secrets: {env: DAILY}}",
                message:
                    "gatefold.yaml:8: publications.weekly: shares a secret with daily; each publication needs its own"),
            MisconfigurationCase(
                text: minimal + "\n    default: true\n  weekly: {backend: house, default: true, secrets: {env: OTHER}}",
                message:
                    "gatefold.yaml:9: publications.weekly: `default` is already set for daily; expected at most one"),
            MisconfigurationCase(
                text: minimal + "\n    catalogue:\n      - {id: \"a:b\", published: 2026-01-01}",
                message: "gatefold.yaml:9: publications.daily.catalogue[0].id: expected 1 to 128 letters"),
            MisconfigurationCase(
                text: minimal + "\n    catalogue:\n      - {id: a, published: 2026-13-01}",
                message: "gatefold.yaml:9: publications.daily.catalogue[0].published: expected a day such as 2026-11-21"
            ),
            MisconfigurationCase(
                text: minimal + "\n    devices: {max: 3}",
                message: "gatefold.yaml:8: publications.daily.devices.max: needs `field`"),
            MisconfigurationCase(
                text: minimal + "\n    edition_credentials: {salt: plain, accept_plain_salts: false}",
                message: "gatefold.yaml:8: publications.daily.edition_credentials.accept_plain_salts: expected true"),
            MisconfigurationCase(
                text: minimal + "\n    content: {prefix: editions}",
                message: "gatefold.yaml:8: publications.daily.content: "),
            // Content cannot overlap the paths of calls, because one of the two would hide the other.
            MisconfigurationCase(
                text: minimal + "\n    content: {prefix: /}",
                message: "gatefold.yaml:8: publications.daily.content.prefix: expected a path such as /content/daily/"),
            MisconfigurationCase(
                text: minimal + "\n    content: {prefix: /sign_in/files/}",
                message: "gatefold.yaml:8: publications.daily.content.prefix: expected a path such as /content/daily/"),
            MisconfigurationCase(
                text: minimal + "\n    content: {prefix: /auth-request/}",
                message: "gatefold.yaml:8: publications.daily.content.prefix: expected a path such as /content/daily/"),
            MisconfigurationCase(
                text: minimal + "\n    content: {prefix: /daily/}",
                message: "gatefold.yaml:6: publications.daily: has a content.prefix that begins with /daily"),
            MisconfigurationCase(
                text: minimal
                    + "\n  weekly: {backend: house, secrets: {env: OTHER}, content: {prefix: /daily/weekly/}}",
                message: "gatefold.yaml:8: publications.weekly: has a content.prefix that begins with /daily"),
            MisconfigurationCase(
                text: minimal + "\n    edge_tokens:\n      - {kind: akamai, key: {env: DAILY}}",
                message: "gatefold.yaml:9: publications.daily.edge_tokens[0]: the key must be at least 16 bytes in hex"),
            MisconfigurationCase(
                text: "server: {listen: 8080}\n" + minimal,
                message: "gatefold.yaml:1: server.listen: expected an address such as 127.0.0.1:8080"),
            MisconfigurationCase(
                text: "server: {trusted_proxies: [proxy]}\n" + minimal,
                message: "gatefold.yaml:1: server.trusted_proxies: expected addresses or blocks"),
        ])
    func mistakes(mistake: MisconfigurationCase) {
        let error = #expect(throws: SettingsError.self) { try read(mistake.text) }
        #expect(error?.description.hasPrefix(mistake.message) == true, "\(error?.description ?? "no error")")
        #expect(error?.description.contains("\n") == false)
    }

    @Test(
        "Content can have any other path",
        arguments: ["/content/", "/content/daily/", "/editions/daily/", "/dailyfiles/"])
    func contentPrefix(prefix: String) throws {
        let read = try read(Self.minimal + "\n    content: {prefix: \(prefix)}")
        #expect(read.publications.first?.content?.prefix == prefix)
    }

    @Test("Pitfall 12: test readers and real readers never share a publication")
    func testMode() {
        let madeUp = Self.minimal.replacing("kind: sqlite, path: house.sqlite", with: "kind: test")
        #expect(throws: BootstrapError.self) { try read(madeUp) }
        #expect(throws: BootstrapError.self) { try read(Self.minimal + "\n    test: true") }
        #expect(throws: Never.self) { try read(madeUp + "\n    test: true") }
    }

    @Test("A required proof must be checked by the backend")
    func proofs() {
        let unchecked = Self.minimal.replacing("path: house.sqlite", with: "path: house.sqlite, check_proof: false")
        #expect(throws: BootstrapError.self) { try read(unchecked) }
        #expect(throws: Never.self) { try read(unchecked + "\n    credentials: {identifier: urn, proofs: []}") }
        #expect(throws: BootstrapError.self) { try read(Self.minimal + "\n    credentials: {proofs: [surname]}") }
    }
}
