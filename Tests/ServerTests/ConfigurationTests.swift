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

@Suite("The configuration")
struct ConfigurationTests {
    static let environment = [
        "DAILY": "Kq7wN2vR8tYx4mZp-daily", "OTHER": "Lr8xO3wS9uZy5nAq-other",
        "REFERENCES": "Ms9yP4xT0vAz6oBr-references", "APNS_KEY": P256.Signing.PrivateKey().pemRepresentation,
    ]

    static let least = """
        state: {path: state.sqlite, reference_secret: {env: REFERENCES}}
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
        try Assembly.check(configuration)
        return configuration
    }

    @Test("needs a state, a backend and a publication, and gives the rest safe defaults")
    func defaults() throws {
        let read = try read(Self.least)
        #expect(read.listen.description == "127.0.0.1:8080")
        #expect(read.adminListen == nil)
        #expect(read.trustedProxies.isEmpty)
        let daily = try #require(read.publications.first)
        #expect(!daily.publication.failsOpen)
        #expect(!daily.publication.hasDebugComments)
        #expect(!daily.publication.issuesFeedPassword)
        #expect(daily.publication.saltForm == .sealed)
        #expect(!daily.acceptsPlainSalts)
        #expect(daily.publication.rule.policy == .issueBased)
        #expect(daily.content == nil)
    }

    @Test("the example that `config example` prints can be used, every key of it")
    func example() throws {
        // Its secrets are files; here they come from the environment instead.
        let text = ExampleConfiguration.text
            .replacing("{file: secrets/references}", with: "{env: REFERENCES}")
            .replacing("{file: secrets/daily}", with: "{env: DAILY}")
            .replacing("{file: secrets/test}", with: "{env: OTHER}")
        let read = try read(text)
        #expect(read.publications.map(\.publication.id.rawValue) == ["daily", "test"])
        #expect(read.adminListen?.port == 8081)
    }

    @Test("the example's part on push can be used, and shows what is the default")
    func pushExample() throws {
        let lines = ExampleConfiguration.text.split(separator: "\n", omittingEmptySubsequences: false)
        let first = try #require(lines.firstIndex { $0.hasSuffix("    # push:") })
        let part = lines[first...].prefix { $0.hasPrefix("    # push:") || $0.hasPrefix("    #   ") }
            .map { $0.replacing("    # ", with: "    ", maxReplacements: 1) }
        #expect(part.count == 15)
        let text = part.joined(separator: "\n").replacing("{file: secrets/apns.p8}", with: "{env: APNS_KEY}")
        let all = try #require(try read("\(Self.least)\n\(text)").publications.first?.push)
        let apps = text[try #require(text.range(of: "      apps:")).lowerBound...]
            .replacing("        content_name: true        # whether notifications name the edition", with: "")
        let least = try #require(try read("\(Self.least)\n    push:\n\(apps)").publications.first?.push)
        #expect(all.apps.map(\.id) == ["com.example.daily"])
        #expect(all.apps.map(\.namesEdition) == least.apps.map(\.namesEdition))
        #expect((all.onPublish, all.environment) == (least.onPublish, least.environment))
        #expect((all.perSecond, all.mostAtOnce) == (least.perSecond, least.mostAtOnce))
        #expect((all.keepFor, all.service.timeout) == (least.keepFor, least.service.timeout))
        #expect(all.service.production.text == least.service.production.text)
        #expect(all.service.sandbox.text == least.service.sandbox.text)
    }

    @Test("the example's parts on mail and notifications can be used, but for files of others")
    func mailAndNotificationsExample() throws {
        let lines = ExampleConfiguration.text.split(separator: "\n", omittingEmptySubsequences: false)
        var text = Self.least
        for key in ["mail", "notifications"] {
            let first = try #require(lines.firstIndex { $0 == "# \(key):" })
            text +=
                "\n"
                + lines[first...].prefix { $0.hasPrefix("# \(key):") || $0.hasPrefix("#   ") }
                .map { $0.dropFirst(2) }.joined(separator: "\n")
        }
        text = text.replacing("{file: secrets/mail}", with: "{env: MAIL}")
            .replacing("{file: secrets/broker}", with: "{env: MAIL}")
            .replacing("  ca: broker-ca.pem        # trusted in place of the system's authorities\n", with: "")
            .replacing("  certificate: client.pem  # Gatefold's own, where the broker asks for one\n", with: "")
            .replacing("  key: client.key\n", with: "")
        let read = try GatefoldConfiguration(
            YAMLSettings.read(
                text: text, name: "gatefold.yaml", folder: "/etc/gatefold",
                environment: Self.environment.merging(["MAIL": "s3cret"]) { $1 }))
        let mail = try #require(read.mail)
        #expect((mail.queue, mail.connections, mail.server.timeout) == (1000, 2, 60))
        #expect(mail.server.login?.user == "gatefold")
        let notices = try #require(read.notices)
        #expect(notices.broker.port == 8883)
        #expect(notices.endpoint == "notices.daily.example")
        #expect((notices.region, notices.queue) == ("eu-west-1", 10_000))
    }

    struct Mistake: Sendable {
        let text: String
        let message: String
    }

    @Test(
        "a mistake is one line: where, which key, what was expected",
        arguments: [
            Mistake(
                text: least + "\n    policy: everything",
                message: "gatefold.yaml:8: publications.daily.policy: expected one of access, issue, period, backend"),
            Mistake(
                text: least + "\n    polcy: issue",
                message: "gatefold.yaml:8: publications.daily.polcy: unknown key; expected one of"),
            Mistake(
                text: least.replacing("backend: house", with: "backend: home"),
                message: "gatefold.yaml:6: publications.daily.backend: expected one of the backends house"),
            Mistake(
                text: least.replacing("kind: sqlite", with: "kind: oracle"),
                message: "gatefold.yaml:3: backends.house.kind: expected one of chain, feed, http"),
            Mistake(
                text: least.replacing("path: house.sqlite", with: "pfad: house.sqlite"),
                message: "gatefold.yaml:3: backends.house.path: missing; expected the path of the subscriber database"),
            Mistake(
                text: least.replacing("{env: DAILY}", with: "{env: NIGHTLY}"),
                message:
                    "gatefold.yaml:7: publications.daily.secrets: expected the environment variable NIGHTLY to be set"),
            Mistake(
                text: least.replacing("daily:", with: "Daily:"),
                message: "gatefold.yaml:6: publications.Daily: expected a name of lower-case letters"),
            Mistake(
                text: least.replacing("daily:", with: "sign_in:"),
                message: "gatefold.yaml:6: publications.sign_in: expected a name of lower-case letters"),
            Mistake(
                text: least + "\n  weekly: {backend: house, secrets: {env: DAILY}}",
                message:
                    "gatefold.yaml:8: publications.weekly: shares a secret with daily; each publication needs its own"),
            Mistake(
                text: least + "\n    default: true\n  weekly: {backend: house, default: true, secrets: {env: OTHER}}",
                message:
                    "gatefold.yaml:9: publications.weekly: `default` is already said of daily; expected one at most"),
            Mistake(
                text: least + "\n    catalogue:\n      - {id: \"a:b\", published: 2026-01-01}",
                message: "gatefold.yaml:9: publications.daily.catalogue[0].id: expected 1 to 128 letters"),
            Mistake(
                text: least + "\n    catalogue:\n      - {id: a, published: 2026-13-01}",
                message: "gatefold.yaml:9: publications.daily.catalogue[0].published: expected a day such as 2026-11-21"
            ),
            Mistake(
                text: least + "\n    devices: {most: 3}",
                message: "gatefold.yaml:8: publications.daily.devices.most: needs `field`"),
            Mistake(
                text: least + "\n    edition_credentials: {salt: plain, accept_plain_salts: false}",
                message: "gatefold.yaml:8: publications.daily.edition_credentials.accept_plain_salts: expected true"),
            Mistake(
                text: least + "\n    content: {prefix: editions}",
                message: "gatefold.yaml:8: publications.daily.content: "),
            // Where calls are answered there is no content: the answer would be that of whoever comes first.
            Mistake(
                text: least + "\n    content: {prefix: /}",
                message: "gatefold.yaml:8: publications.daily.content.prefix: expected a path such as /content/daily/"),
            Mistake(
                text: least + "\n    content: {prefix: /sign_in/files/}",
                message: "gatefold.yaml:8: publications.daily.content.prefix: expected a path such as /content/daily/"),
            Mistake(
                text: least + "\n    content: {prefix: /auth-request/}",
                message: "gatefold.yaml:8: publications.daily.content.prefix: expected a path such as /content/daily/"),
            Mistake(
                text: least + "\n    content: {prefix: /daily/}",
                message: "gatefold.yaml:6: publications.daily: has a content.prefix that begins with /daily"),
            Mistake(
                text: least + "\n  weekly: {backend: house, secrets: {env: OTHER}, content: {prefix: /daily/weekly/}}",
                message: "gatefold.yaml:8: publications.weekly: has a content.prefix that begins with /daily"),
            Mistake(
                text: least + "\n    edge_tokens:\n      - {kind: akamai, key: {env: DAILY}}",
                message: "gatefold.yaml:9: publications.daily.edge_tokens[0]: the key must be at least 16 bytes in hex"),
            Mistake(
                text: "server: {listen: 8080}\n" + least,
                message: "gatefold.yaml:1: server.listen: expected an address such as 127.0.0.1:8080"),
            Mistake(
                text: "server: {trusted_proxies: [proxy]}\n" + least,
                message: "gatefold.yaml:1: server.trusted_proxies: expected addresses or blocks"),
        ])
    func mistakes(mistake: Mistake) {
        let error = #expect(throws: SettingsError.self) { try read(mistake.text) }
        #expect(error?.description.hasPrefix(mistake.message) == true, "\(error?.description ?? "no error")")
        #expect(error?.description.contains("\n") == false)
    }

    @Test(
        "content may lie at any other path",
        arguments: ["/content/", "/content/daily/", "/editions/daily/", "/dailyfiles/"])
    func contentPrefix(prefix: String) throws {
        let read = try read(Self.least + "\n    content: {prefix: \(prefix)}")
        #expect(read.publications.first?.content?.prefix == prefix)
    }

    @Test("Pitfall 12: made-up readers and real ones never share a publication")
    func testMode() {
        let madeUp = Self.least.replacing("kind: sqlite, path: house.sqlite", with: "kind: test")
        #expect(throws: AssemblyError.self) { try read(madeUp) }
        #expect(throws: AssemblyError.self) { try read(Self.least + "\n    test: true") }
        #expect(throws: Never.self) { try read(madeUp + "\n    test: true") }
    }

    @Test("a proof that is asked for must be checked by the backend")
    func proofs() {
        let unchecked = Self.least.replacing("path: house.sqlite", with: "path: house.sqlite, check_proof: false")
        #expect(throws: AssemblyError.self) { try read(unchecked) }
        #expect(throws: Never.self) { try read(unchecked + "\n    credentials: {identifier: urn, proofs: []}") }
        #expect(throws: AssemblyError.self) { try read(Self.least + "\n    credentials: {proofs: [surname]}") }
    }
}
