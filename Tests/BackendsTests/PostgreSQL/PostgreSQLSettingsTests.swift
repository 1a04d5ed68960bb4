import Foundation
import Settings
import TestSupport
import Testing

@testable import Backends
@testable import PostgreSQL
@testable import SQLAccess

@Suite("Settings of the kind postgresql") struct PostgreSQLSettingsTests {
    private func settings(_ connection: String, _ rest: String = "") throws(SettingsError) -> PostgreSQLSettings {
        try PostgreSQLSettings(
            try YAMLSettings.read(
                text: "connection: {\(connection)}\n\(rest)", name: "gatefold.yaml", folder: "/etc/gatefold",
                environment: ["PASSWORD": "secret"]))
    }

    @Test("Every parameter is set explicitly, so the environment and the account's home have no effect")
    func explicit() throws {
        let server = try settings("hosts: [db.example.com], database: d, user: u").server
        let names = ["sslmode", "sslrootcert", "sslcert", "sslkey", "dbname", "user", "options", "application_name"]
        for name in names { #expect(server.parameters[name] != nil, "\(name)") }
        #expect(server.parameters["sslmode"] == "verify-full")
        #expect(server.parameters["sslrootcert"] == PostgreSQLSettings.systemRoots)
        #expect(server.parameters["options"]?.contains("default_transaction_read_only=on") == true)
    }

    @Test("TLS is verified unless every host is on this machine")
    func standardTLS() throws {
        for (hosts, mode) in [
            ("localhost", "prefer"), ("\"127.0.0.1:5433\"", "prefer"), ("/run/postgresql", "prefer"),
            ("\"[::1]:5432\"", "prefer"), ("127.example.com", "verify-full"), ("localhost, db", "verify-full"),
        ] {
            let server = try settings("hosts: [\(hosts)], database: d, user: u").server
            #expect(server.parameters["sslmode"] == mode, "\(hosts)")
        }
    }

    @Test("Hosts are names, addresses and sockets, with or without a port")
    func hosts() {
        typealias Host = PostgreSQLServer.Host
        let good: [(String, Host)] = [
            ("db", Host(name: "db", port: 5432)), ("db:5433", Host(name: "db", port: 5433)),
            ("[::1]", Host(name: "::1", port: 5432)), ("[fe80::1]:7", Host(name: "fe80::1", port: 7)),
            ("/run/postgresql", Host(name: "/run/postgresql", port: 5432)),
            ("/run/postgresql:5433", Host(name: "/run/postgresql", port: 5433)),
        ]
        for (text, host) in good { #expect(PostgreSQLSettings.host(text) == host, "\(text)") }
        for text in [
            "", ":5432", "db:", "db:x", "db:0", "db:65536", "a,b", "@abstract", "a b", "[::1", "[::1]x", "::1",
        ] {
            #expect(PostgreSQLSettings.host(text) == nil, "\(text)")
        }
        var random = SeededRandom(seed: 5)
        for _ in 0..<10_000 {
            let text = String(decoding: random.hostileBytes(upTo: 12, specialCharacters: "[]::/,@1a "), as: UTF8.self)
            guard let host = PostgreSQLSettings.host(text) else { continue }
            #expect((1...65_535).contains(host.port) && !host.name.isEmpty && !host.name.contains(","))
        }
    }

    @Test(
        "A mistake is reported with its line and key",
        arguments: [
            ("database: d, user: u", "connection.hosts: expected a list of hosts"),
            ("hosts: [], database: d, user: u", "connection.hosts: expected a list of hosts"),
            ("hosts: [\"a:b\"], database: d, user: u", "found `a:b`"),
            ("hosts: [a], user: u", "connection.database: missing; expected the name of the database"),
            ("hosts: [a], database: d", "connection.user: missing; expected the name of Gatefold's own account"),
            ("hosts: [a], database: d, user: u, password: x", "connection.password: expected {file: PATH}"),
            (
                "hosts: [a], database: d, user: u, tls: {mode: on}",
                "connection.tls.mode: expected one of disable, allow"
            ),
            ("hosts: [a], database: d, user: u, tls: {key: k}", "expected `certificate` and `key` together"),
            ("hosts: [a], database: d, user: u, tls: {mode: disable, root: r}", "connection.tls.root: `mode: disable`"),
            ("hosts: [a], database: d, user: u, target_session_attrs: master", "expected one of any, read-write"),
            ("hosts: [a], database: d, user: u, connect_timeout: 0s", "connection.connect_timeout: expected a time"),
            ("hosts: [a], database: d, user: u, tiemout: 1s", "connection.tiemout: unknown key"),
        ])
    func mistakes(connection: String, message: String) {
        do throws(SettingsError) {
            _ = try settings(connection)
            Issue.record("no error")
        } catch {
            #expect(error.description.hasPrefix("gatefold.yaml:1: "))
            #expect(error.description.contains(message), "\(error)")
        }
    }

    @Test("The guide's example can be read")
    func example() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let path = root.appending(path: "Fixtures/Configurations/postgresql.yaml").path
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let guide = try String(
            contentsOf: root.appending(path: "Sources/Backends/Backends.docc/PostgreSQL.md"), encoding: .utf8)
        #expect(guide.contains(text), "the guide shows the file unchanged")
        let top = try YAMLSettings.read(path: path, environment: ["POSTGRESQL_PASSWORD": "secret"])
        let section = try top.section("backends").section("readers")
        let kind = try BackendRegistry.read(name: "readers", settings: section)
        try section.finish()
        #expect(kind.checkedProofs == ["password"])
        #expect(kind.isRemote)
    }
}

@Suite("libpq and environment variables") struct PostgreSQLEnvironmentTests {
    @Test("Environment variables do not lead to another server, service or revocation list")
    func environment() async {
        await #expect(processExitsWith: .success) {
            let names = ["PGHOSTADDR", "PGSERVICE", "PGSSLCRL", "PGOPTIONS", "PGPASSWORD"]
            for name: String in names { _ = setenv(name, "192.0.2.1", 1) }
            _ = try LibPQ()
            let left = names.filter { (name: String) in getenv(name) != nil }
            #expect(left == ["PGPASSWORD"])
        }
    }
}

@Suite("Classification of PostgreSQL errors about bound values") struct BoundValueTests {
    @Test(
        "An error about a bound value is detected in the last line of its context, in any server language",
        arguments: [
            "unnamed portal parameter $1 = '...'", "unnamed portal parameter $2",
            "unbenanntes Portal Parameter $1 = '...'",
            "portal sin nombre, parámetro 1 = '...'", "paramètre de portail non nommé $2 = '...'",
            "이름없는 포탈 $1 매개 변수 = '...'", "неименованный портал, параметр $1 = '...'",
            "JSON data, line 1: {\nunnamed portal parameter $1 = '...'", "未命名 portal 的参数 $1",
        ])
    func bound(context: String) {
        #expect(PostgreSQLError.isBoundValueError(context: context, values: 2))
    }

    @Test(
        "An error that a stored value may have caused is not taken for one about a bound value",
        arguments: [
            "", "PL/pgSQL function pg_temp_3.f(text) line 1 at RETURN", "SQL function \"f$1\" statement 1",
            "unnamed portal with parameters: $1 = 'a', $2 = 'b'", "unnamed portal parameter $3 = '...'",
            "portail non nommé avec les paramètres : « $1 = 'a' »", "portal sin nombre con parámetros: $1 = 'a'",
            "unnamed portal parameter $1 = '...'\nPL/pgSQL function f(text) line 1 at RETURN", "$", "parámetro ",
        ])
    func stored(context: String) {
        #expect(!PostgreSQLError.isBoundValueError(context: context, values: 2))
    }

    @Test("Arbitrary contexts are read without a crash")
    func hostile() {
        var random = SeededRandom(seed: 11)
        for _ in 0..<10_000 {
            let text = String(decoding: random.hostileBytes(upTo: 40, specialCharacters: "$1 =:\n"), as: UTF8.self)
            _ = PostgreSQLError.isBoundValueError(context: text, values: 2)
        }
    }
}

@Suite("Connection failures of PostgreSQL") struct ConnectFailureTests {
    @Test(
        "The failure is classified from libpq's message, which is not kept",
        arguments: [
            (#"connection to server at "127.0.0.1", port 1 failed: FATAL:  28P01"#, ConnectFailure.authentication),
            (#"connection to server at "127.0.0.1", port 1 failed: FATAL:  57P03"#, .serverError(sqlState: "57P03")),
            (#"connection to server at "h", port 1 failed: SCHWERWIEGEND:  53300"#, .serverError(sqlState: "53300")),
            (
                #"connection to server at "h" (1.2.3.4), port 1 failed: Connection refused\#n\#tIs the server running?"#,
                .unreachable
            ),
            (#"could not translate host name "x" to address: Name or service not known"#, .nameNotFound),
            (
                #"connection to server at "h", port 1 failed: server does not support SSL, but SSL was required"#, .tls
            ),
            (
                #"connection to server at "h", port 1 failed: root certificate file "/x" does not exist"#, .tls
            ),
            (#"connection to server at "h", port 1 failed: session is read-only"#, .unsuitableServer),
            (
                #"connection to server at "h", port 1 failed: server closed the connection unexpectedly"#,
                .unexpectedResponse
            ),
            (
                #"connection to server at "h", port 1 failed: received invalid response to SSL negotiation: H"#,
                .unexpectedResponse
            ),
            ("fe_sendauth: no password supplied", .authentication), ("", .unreachable),
        ])
    func words(message: String, failure: ConnectFailure) {
        #expect(ConnectFailure(message: message) == failure)
    }

    @Test("10,000 random messages give a failure with a well-formed SQLSTATE")
    func fuzz() {
        var random = SeededRandom(seed: 28)
        for _ in 0..<10_000 {
            let text = String(
                decoding: random.hostileBytes(upTo: 40, specialCharacters: "FATAL:  28P01\n"), as: UTF8.self)
            guard case .serverError(let state) = ConnectFailure(message: text) else { continue }
            #expect(state.utf8.count == 5)
        }
    }
}
