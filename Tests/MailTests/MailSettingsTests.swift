import Settings
import TestSupport
import Testing
import Transfers

@testable import Mail

@Suite("Mail settings")
struct MailSettingsTests {
    private func read(_ yaml: String) throws -> MailSettings {
        try MailSettings(
            try YAMLSettings.read(
                text: yaml, name: "gatefold.yaml", folder: "/etc/gatefold", environment: ["PASSWORD": "s3cret"]))
    }

    @Test("Have defaults for everything except the server and the sender")
    func defaults() throws {
        let settings = try read("{server: 'smtp://mail.example.com', from: news@daily.example}")
        #expect(settings.server.port == 587)
        #expect(settings.server.security == .upgraded)
        #expect(settings.server.timeout == 60)
        #expect(settings.queue == 1000)
        #expect(settings.connections == 2)
        #expect(settings.sender.name == nil)
    }

    @Test("Read all keys")
    func all() throws {
        let settings = try read(
            """
            server: smtps://mail.example.com:4650
            user: gatefold
            password: {env: PASSWORD}
            from: The Daily <news@daily.example>
            tls: required
            ca: mail.pem
            timeout: 20s
            max_queued: 10
            max_connections: 3
            """)
        #expect(settings.server.security == .implicit)
        #expect(settings.server.login?.password == "s3cret")
        #expect(settings.server.authorities?.hasSuffix("/mail.pem") == true)
        #expect(settings.sender.name == "The Daily")
    }

    @Test("Require no TLS for a local server unless configured")
    func local() throws {
        #expect(try read("{server: 'smtp://127.0.0.1:25', from: a@b.c}").server.security == .none)
        #expect(try read("{server: 'smtp://127.0.0.1:25', from: a@b.c, tls: required}").server.security == .upgraded)
    }

    @Test(
        "Reject invalid settings and name the expected value",
        arguments: [
            ("{from: a@b.c}", "mail.server", "missing"),
            ("{server: 'http://x', from: a@b.c}", "server", "smtp://mail.example.com:587"),
            ("{server: 'smtp://x'}", "from", "missing"),
            ("{server: 'smtp://x', from: nobody}", "from", "The Daily <news@daily.example>"),
            ("{server: 'smtp://x', from: a@b.c, user: a}", "user", "together"),
            (
                "{server: 'smtp://x', from: a@b.c, tls: none, user: a, password: {env: PASSWORD}}", "tls",
                "because a password is sent to another machine"
            ),
            ("{server: 'smtps://x', from: a@b.c, tls: none}", "tls", "smtps"),
            ("{server: 'smtp://127.0.0.1', from: a@b.c, ca: mail.pem}", "ca", "requires TLS"),
            ("{server: 'smtp://x', from: a@b.c, tls: none, ca: mail.pem}", "ca", "requires TLS"),
            ("{server: 'smtp://x', from: a@b.c, tsl: none}", "tsl", "did you mean `tls`"),
            ("{server: 'smtp://x', from: a@b.c, password: s3cret}", "password", "{file: PATH}"),
        ])
    func errors(_ yaml: String, _ key: String, _ message: String) throws {
        let error = try #require(throws: SettingsError.self) { try read(yaml) }
        #expect(error.key == key.split(separator: ".").last.map(String.init))
        #expect(error.expected.contains(message), "\(error)")
    }
}
