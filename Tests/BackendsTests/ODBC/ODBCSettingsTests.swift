import BackendFixtures
import Foundation
import Gatefold
import Primitives
import Settings
import Testing

@testable import Backends
@testable import ODBC
@testable import PasswordHashing
@testable import SQLAccess

@Suite("Settings of the kind odbc", .serialized) struct ODBCSettingsTests {
    private static let rest = """
        queries:
          authenticate: "SELECT id AS k FROM reader WHERE email = :identifier"
          subscription: "SELECT state FROM reader WHERE id = :key"
        """

    private func settings(_ yaml: String) throws(SettingsError) -> ODBCConnectionSettings {
        try ODBCConnectionSettings(
            try YAMLSettings.read(
                text: yaml, name: "gatefold.yaml", folder: "/nowhere", environment: ["PASSWORD": "a;PORT=1}"]))
    }

    private func error(_ yaml: String) -> String {
        do {
            let section = try YAMLSettings.read(
                text: "kind: odbc\n\(yaml)\n\(Self.rest)", name: "gatefold.yaml", folder: "/nowhere",
                environment: ["PASSWORD": "secret"])
            _ = try BackendRegistry.read(name: "legacy", settings: section)
            return "no error"
        } catch {
            return error.description
        }
    }

    @Test(
        "Driver, user, password and attributes form a connection string with the driver's own timeout attributes")
    func mariaDB() throws {
        let read = try settings(
            """
            connection:
              driver: MariaDB Unicode
              attributes: {SERVER: db.example.com, PORT: 3306, read_timeout: 3}
              user: gate fold
              password: {env: PASSWORD}
            login_timeout: 4s
            query_timeout: 8s
            pool: {size: 3, idle_lifetime: 1m}
            encoding: windows-1252
            """)
        #expect(
            read.string.text
                == "DRIVER=MariaDB Unicode;UID=gate fold;PWD={a;PORT=1}}};SERVER=db.example.com;PORT=3306;"
                + "read_timeout=3;CONN_TIMEOUT=4;WRITE_TIMEOUT=8")
        #expect(read.poolSize == 3 && read.idleLifetime == 60)
        #expect(read.options.loginTimeout == 4 && read.options.queryTimeout == 8)
        #expect(read.options.encoding == .windows1252)
    }

    @Test("Timeouts, pool and encoding default to the guide's values")
    func defaults() throws {
        let read = try settings("connection: {dsn: CIRCULATION, attributes: {APP: gatefold}}")
        #expect(read.string.text == "DSN=CIRCULATION;APP=gatefold")
        #expect(read.poolSize == 8 && read.idleLifetime == 300 && read.options.encoding == .driver)
        #expect(read.options.loginTimeout == 5 && read.options.queryTimeout == 10)
        let lite = try settings("connection: {driver: /usr/lib/libsqlite3odbc.so, attributes: {Database: /a.db}}")
        for driver in ["PostgreSQL Unicode", "/usr/lib/x86_64-linux-gnu/odbc/psqlodbcw.so"] {
            let libpq = try settings("connection: {driver: \(driver)}\nquery_timeout: 6s")
            #expect(
                libpq.string.text == "DRIVER=\(driver);PQOPT=tcp_user_timeout=6000 keepalives_idle=6 "
                    + "keepalives_interval=2 keepalives_count=3")
            let own = try settings("connection: {driver: \(driver), attributes: {pqopt: \"\"}}")
            #expect(own.string.text == "DRIVER=\(driver);pqopt=")
        }
        #expect(lite.string.text == "DRIVER=/usr/lib/libsqlite3odbc.so;Database=/a.db;TIMEOUT=10000")
    }

    @Test(
        "An invalid setting is rejected with its position",
        arguments: [
            ("", "gatefold.yaml:1: connection: missing; expected `driver` and `attributes`, or `dsn`"),
            ("connection: {user: a}", "gatefold.yaml:2: connection.driver: missing; expected `driver`, or else `dsn`"),
            (
                "connection: {driver: a, dsn: b}",
                "gatefold.yaml:2: connection.dsn: expected `driver` or `dsn`, not both"
            ),
            (
                "connection:\n  driver: a\n  attributes: {Pwd: secret}",
                "gatefold.yaml:4: connection.attributes.Pwd: not an attribute here; expected the key "
                    + "`connection.password`"
            ),
            (
                "connection:\n  dsn: a\n  attributes: {SAVEFILE: /tmp/x}",
                "gatefold.yaml:4: connection.attributes.SAVEFILE: not an attribute here; expected the key "
                    + "`connection.dsn`"
            ),
            (
                "connection:\n  driver: a\n  attributes: {\"A;B\": c}",
                "gatefold.yaml:4: connection.attributes: `A;B` is not the name of an attribute"
            ),
            (
                "connection:\n  driver: a\n  attributes: {B: \"x\\u0000y\"}",
                "gatefold.yaml:4: connection.attributes: `B` has a control character"
            ),
            (
                "connection: {dsn: a, password: secret}",
                "gatefold.yaml:2: connection.password: expected {file: PATH} or {env: NAME}, not the secret itself"
            ),
            (
                "connection: {dsn: a}\nencoding: ebcdic",
                "gatefold.yaml:3: encoding: expected one of driver, utf-8, latin1, windows-1252"
            ),
            (
                "connection: {dsn: a}\nquery_timeout: 0s",
                "gatefold.yaml:3: query_timeout: expected a time such as 90s, 15m, 12h or 30d, from 1s to 5m"
            ),
            (
                "connection: {dsn: a}\npool: {size: 0}",
                "gatefold.yaml:3: pool.size: expected a whole number from 1 to 256"
            ),
        ])
    func rejected(yaml: String, message: String) {
        #expect(error(yaml) == message)
    }

    @Test("Bound proofs are checked, and request fields of statements are varying fields")
    func kind() throws {
        let section = try YAMLSettings.read(
            text: """
                kind: odbc
                connection: {dsn: a}
                request_fields: [device]
                queries:
                  authenticate: "SELECT id AS k FROM r WHERE n = :identifier AND s = :surname AND d = :device"
                  subscription: "SELECT state FROM r WHERE id = :key"
                """, name: "gatefold.yaml", folder: "/nowhere")
        let kind = try BackendRegistry.read(name: "legacy", settings: section)
        #expect(kind.checkedProofs == ["surname"] && kind.varyingFields == ["device"] && kind.isRemote)
    }

    @Test("The guide's configurations are read and work unchanged")
    func fixtures() async throws {
        try await ODBCMariaDBFixture.run { fixture in
            try await use("odbc-mariadb", ["PORT: 3306": "PORT: \(fixture.instance.port)"], fixture.environment)
        }
        try await ODBCPostgreSQLFixture.run { fixture in
            try await use("odbc-postgresql", ["PORT: 5432": "PORT: \(fixture.instance.port)"], fixture.environment)
        }
        try await ODBCSQLiteFixture.run { fixture in
            try await use("odbc-sqlite", ["/srv/readers.sqlite": fixture.file.path], [:])
        }
    }

    private func use(_ name: String, _ changes: [String: String], _ environment: [String: String]) async throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        var text = try String(
            contentsOf: root.appending(path: "Fixtures/Configurations/\(name).yaml"), encoding: .utf8)
        for (old, new) in changes {
            try #require(text.contains(old))
            text = text.replacing(old, with: new)
        }
        let top = try YAMLSettings.read(
            text: text, name: "gatefold.yaml", folder: "/nowhere", environment: environment)
        let section = try top.section("backends").section("legacy")
        let kind = try BackendRegistry.read(name: "legacy", settings: section)
        try section.finish()
        let backend = try kind.open(
            BackendServices(
                clock: .system, random: .system,
                passwords: PasswordVerifier(hasher: try PasswordHasher(cost: 1), concurrency: 2),
                pseudonymKey: PseudonymKey(Secret(Array("a secret for pseudonyms".utf8)))))
        let ada = StandardReaders.ada
        let authentication = try await backend.authenticate(
            Credentials(identifier: ada.email, fields: ["email": ada.email, "password": ada.password]),
            context: CallContext()
        ).value
        guard case .authenticated(let subscriber) = authentication else {
            Issue.record("\(name): rejected")
            return
        }
        let reported = try await backend.subscription(of: subscriber, context: CallContext()).value
        let editions = Set(try #require(ada.editions).compactMap { EditionID($0) })
        #expect(reported.state == .active && reported.entitlement == .editions(editions))
    }
}
