import BackendFixtures
import Foundation
import Gatefold
import PostgreSQL
import TestSupport
import Testing

@testable import Backends
@testable import PasswordHashing
@testable import SQLAccess

@Suite("PostgreSQL backend on a real server", .serialized) struct PostgreSQLBackendTests {
    private static let rejection = AuthenticationResult.rejected(message: nil)
    private static let ours = "FROM pg_stat_activity WHERE application_name = 'gatefold'"

    @Test(
        "Pitfall 13: the server log shows the configured statements only, and every input as a bound value")
    func injection() async throws {
        let hostile = [
            "' OR 1=1--", "'; DROP TABLE reader; --", "\\' OR 1=1 -- ", "$1", "$1'||'x", ":identifier", "%s%n", "a\\",
            "*)(uid=*", "]]><x>", "%{var}", "\u{2019} OR 1=1", "E'\\''", "$$ OR $$", "/* */", "😀", "null", "1); --",
        ]
        try await PostgreSQLFixture.run { fixture in
            let rest = PostgreSQLHarness.queries.replacing(
                "email = :identifier\"", with: "email = :identifier AND :password <> 'x'\""
            )
            .replacing("password_hash AS password ", with: "password_hash ").replacing(
                "proof: {field: password}\n", with: "")
            let bound = try PostgreSQLHarness(port: fixture.instance.port, rest: rest)
            let compared = try PostgreSQLHarness(port: fixture.instance.port)
            for text in hostile {
                #expect(try await bound.authenticate(text, text) == Self.rejection, "\(text)")
                #expect(try await compared.authenticate(text, text) == Self.rejection, "\(text)")
                #expect(try await compared.authenticate(password: text) == Self.rejection, "\(text)")
                let subscriber = Subscriber(backend: "legacy", key: text)
                // Not a number, so the statement fails for this key, which no reader can have.
                _ = try? await bound.backend.subscription(of: subscriber, context: CallContext()).value
            }
            for text in ["\u{0}", "a\u{0}' OR 1=1--", String(repeating: "'", count: 1_000_000)] {
                #expect(try await bound.authenticate(text, text) == Self.rejection)
            }
            #expect(try await fixture.instance.execute("SELECT count(*) FROM reader") == "5")
            let log = await fixture.instance.server.output
            let executed = Set(
                log.split(separator: "\n").filter { $0.hasPrefix("gatefold|LOG:") }.map(String.init))
            #expect(
                executed == [
                    "gatefold|LOG:  execute <unnamed>: SELECT id AS key, password_hash FROM reader "
                        + "WHERE email = $1 AND $2 <> 'x'",
                    "gatefold|LOG:  execute <unnamed>: SELECT id AS key, password_hash AS password FROM reader "
                        + "WHERE email = $1",
                ])
            for text in hostile {
                let value = "'\(CredentialFields.fold(text).replacing("'", with: "''"))'"
                #expect(log.contains("parameters: $1 = \(value), $2 = '\(text.replacing("'", with: "''"))'"), "\(text)")
                #expect(log.contains("parameters: $1 = \(value)\n"), "\(text)")
            }
        }
    }

    @Test("A value that its column's type or encoding cannot hold is a rejection, not an outage")
    func rejectedValues() async throws {
        try await PostgreSQLFixture.run { fixture in
            let rest = PostgreSQLHarness.queries.replacing("email = :identifier", with: "id = :identifier")
            let harness = try PostgreSQLHarness(port: fixture.instance.port, rest: rest)
            for text in ["abc", "99999999999999999999", "1.5", "", "''"] {
                #expect(try await harness.authenticate(text) == Self.rejection, "\(text)")
            }
            #expect(try await harness.authenticate("1") != Self.rejection)
            try await fixture.instance.execute(
                "CREATE DATABASE latin TEMPLATE template0 ENCODING LATIN1 LC_COLLATE 'C' LC_CTYPE 'C'")
            try await fixture.instance.execute(
                "CREATE TABLE reader (id int, email text, password_hash text); GRANT SELECT ON reader TO gatefold",
                database: "latin")
            try await fixture.instance.execute(
                "INSERT INTO reader VALUES (7, :'email', :'hash')",
                ["email": "zoë@example.com", "hash": try PasswordHasher(cost: 1).hash("right")], database: "latin")
            let connection = "hosts: [\"127.0.0.1:\(fixture.instance.port)\"]"
            let latin = try PostgreSQLHarness(connection: connection, database: "latin")
            #expect(try await latin.authenticate("zoë@example.com", "right") != Self.rejection)
            #expect(try await latin.authenticate("łódź@example.com", "right") == Self.rejection)
        }
    }

    @Test(
        "An invalid pattern from a reader is a rejection, and an invalid stored value is not the reader's error")
    func patternsAndStoredValues() async throws {
        try await PostgreSQLFixture.run { fixture in
            let port = fixture.instance.port
            func harness(_ condition: String) throws -> PostgreSQLHarness {
                try PostgreSQLHarness(
                    port: port, rest: PostgreSQLHarness.queries.replacing("email = :identifier", with: condition))
            }
            #expect(try await harness("email ILIKE :identifier").authenticate("%\\") == Self.rejection)
            #expect(try await harness("email ~ :identifier").authenticate("(") == Self.rejection)
            #expect(try await harness("(:identifier::jsonb) IS NOT NULL").authenticate("{") == Self.rejection)
            for (condition, state) in [
                ("state::date < now() AND email = :identifier", "22007"),
                ("state::int = 1 OR email = :identifier", "22P02"),
                ("1 / (length(:identifier) - length(:identifier)) = 1", "22012"),
            ] {
                let failure = await (try harness(condition)).failure()
                #expect(failure == .serverError(sqlState: state), "\(condition)")
                #expect(failure.map { PostgreSQLFailure(error: $0).isRequestScoped } == true)
            }
        }
    }

    @Test("A non-numeric edition is denied without an error that could open the circuit breaker")
    func breaker() async throws {
        try await PostgreSQLFixture.run { fixture in
            let rest = PostgreSQLHarness.queries.replacing(
                "proof:",
                with: "  verdict: \"SELECT 1 FROM reader WHERE id = :key AND length(state) < :edition::int\"\nproof:")
            let harness = try PostgreSQLHarness(port: fixture.instance.port, rest: rest)
            guard case .authenticated(let ada) = try await harness.authenticate() else {
                Issue.record("the reader was rejected")
                return
            }
            for (edition, expected) in [
                ("abc", EditionVerdict.rejected(.notEntitled, message: nil)),
                ("99999999999999999999", .rejected(.notEntitled, message: nil)),
                ("99", .granted),
            ] {
                let id = try #require(EditionID(edition))
                #expect(
                    try await harness.backend.resolved.verdict(on: id, for: ada, context: CallContext()).value
                        == expected,
                    "\(edition)")
            }
        }
    }

    @Test("A restart between two queries is invisible to the reader")
    func restart() async throws {
        try await PostgreSQLFixture.run { fixture in
            let harness = try PostgreSQLHarness(port: fixture.instance.port)
            for signal: Int32 in [2, 3, 9] {
                #expect(try await harness.isAdaAuthenticated())
                await fixture.instance.server.stop(signal)
                try await fixture.instance.start()
                #expect(try await harness.isAdaAuthenticated(), "after signal \(signal)")
            }
            #expect(try await harness.isAdaAuthenticated())
            try await fixture.instance.execute("SELECT pg_terminate_backend(pid) \(Self.ours)")
            #expect(try await harness.isAdaAuthenticated(), "after its connection was ended")
        }
    }

    @Test("The first of several hosts may be down, stalled or in standby")
    func hosts() async throws {
        try await PostgreSQLInstance.run(access: ["local replication all trust"]) { primary in
            try await primary.execute(PostgreSQLFixture.schema, ["password": PostgreSQLFixture.password])
            try await primary.withStandby { standby in
                let free = try FreePort.find()
                func harness(_ first: Int, _ session: String) throws -> PostgreSQLHarness {
                    try PostgreSQLHarness(
                        connection: """
                            hosts: ["127.0.0.1:\(first)", "127.0.0.1:\(primary.port)"]
                            target_session_attrs: \(session)
                            connect_timeout: 3s
                            """, rest: Self.whichServer)
                }
                try await eventually("the standby has the tables") {
                    (try? await standby.execute("SELECT count(*) FROM reader")) == "0"
                }
                #expect(try await harness(free, "any").authenticate() == Self.key("primary"))
                #expect(try await harness(standby.port, "any").authenticate() == Self.key("standby"))
                #expect(try await harness(standby.port, "read-write").failure() == .couldNotConnect(.unsuitableServer))
                #expect(try await harness(standby.port, "primary").authenticate() == Self.key("primary"))
                #expect(try await harness(standby.port, "standby").authenticate() == Self.key("standby"))
                #expect(try await harness(free, "prefer-standby").authenticate() == Self.key("primary"))
                #expect(try await harness(primary.port, "standby").failure() == .couldNotConnect(.unsuitableServer))
                try await withFaultProxy(to: standby.port) { proxy in
                    try await proxy.set(.stall)
                    #expect(try await harness(proxy.port, "any").authenticate() == Self.key("primary"))
                }
                let nobody = try PostgreSQLHarness(port: free)
                #expect(await nobody.failure() == .couldNotConnect(.unreachable))
            }
        }
    }

    /// Authenticates every reader, with the role of the queried server as the key.
    private static let whichServer = """
        queries:
          authenticate: >-
            SELECT CASE WHEN pg_is_in_recovery() THEN 'standby' ELSE 'primary' END AS key
            WHERE :identifier::text <> '' AND :password::text <> ''
          subscription: "SELECT 'active' AS state WHERE :key::text <> ''"
        """

    private static func key(_ key: String) -> AuthenticationResult {
        .authenticated(Subscriber(backend: "legacy", key: key))
    }

    @Test("A rejected service account, a missing database and a missing table are failures, not rejections")
    func ownMistakes() async throws {
        try await PostgreSQLFixture.run { fixture in
            let port = fixture.instance.port
            #expect(
                try await PostgreSQLHarness(port: port, password: "wrong").failure()
                    == .couldNotConnect(.authentication))
            let missing = try PostgreSQLHarness(connection: "hosts: [\"127.0.0.1:\(port)\"]", database: "none")
            #expect(await missing.failure() == .couldNotConnect(.serverError(sqlState: "3D000")))
            for (from, to, state) in [
                ("FROM reader", "FROM nothing", "42P01"), ("password_hash", "nothing", "42703"),
                ("email = ", "nothing(email) = ", "42883"), ("SELECT id", "SELECT FROM WHERE id", "42601"),
                ("SELECT id", "SELECT pg_read_file('/etc/passwd'), id", "42501"),
            ] {
                let rest = PostgreSQLHarness.queries.replacing(from, with: to)
                #expect(
                    try await PostgreSQLHarness(port: port, rest: rest).failure() == .serverError(sqlState: state),
                    "\(to)")
            }
            try await fixture.instance.execute("GRANT ALL ON reader TO gatefold")
            let rest = PostgreSQLHarness.queries.replacing(
                #""SELECT id AS key, password_hash AS password FROM reader WHERE email = :identifier""#,
                with:
                    #""UPDATE reader SET state = 'active' WHERE email = :identifier RETURNING id AS key, password_hash AS password""#
            )
            #expect(
                try await PostgreSQLHarness(port: port, rest: rest).failure() == .serverError(sqlState: "25006"),
                "transactions are read-only by default")
            #expect(try await PostgreSQLHarness(port: port, "read_only: false", rest: rest).isAdaAuthenticated())
        }
    }

    @Test("A slow statement is ended by the server's statement timeout")
    func statementTimeout() async throws {
        try await PostgreSQLFixture.run { fixture in
            let rest = PostgreSQLHarness.queries.replacing(
                "FROM reader WHERE email", with: "FROM reader, pg_sleep(30) WHERE email")
            let harness = try PostgreSQLHarness(port: fixture.instance.port, "statement_timeout: 1s", rest: rest)
            #expect(await harness.failure() == .serverError(sqlState: "57014"))
        }
    }

    @Test("A cancelled query ends at once, and its statement ends on the server")
    func cancellation() async throws {
        try await PostgreSQLFixture.run { fixture in
            let rest = PostgreSQLHarness.queries.replacing(
                "FROM reader WHERE email", with: "FROM reader, pg_sleep(50) WHERE email")
            let harness = try PostgreSQLHarness(port: fixture.instance.port, "statement_timeout: 60s", rest: rest)
            let tasks = (0..<5).map { _ in Task { try await harness.authenticate() } }
            try await eventually("all sleep") {
                try await fixture.instance.execute("SELECT count(*) \(Self.ours) AND state = 'active'") == "5"
            }
            for task in tasks { task.cancel() }
            for task in tasks {
                await #expect(throws: CancellationError.self) { try await task.value }
            }
            try await eventually("no statement and no connection is left", within: .seconds(5)) {
                try await fixture.instance.execute("SELECT count(*) \(Self.ours)") == "0"
            }
        }
    }

    @Test("The server never sees more connections than the pool size under load and faults")
    func connections() async throws {
        try await PostgreSQLFixture.run { fixture in
            // The long timeouts allow for a busy machine; no fault makes a query hang.
            let harness = try PostgreSQLHarness(
                port: fixture.proxy.port, "connect_timeout: 5s\nstatement_timeout: 5s",
                rest: "pool: {size: 3}\n" + PostgreSQLHarness.queries)
            func countQueries() async -> Int {
                await withTaskGroup(of: Bool.self) { group in
                    for _ in 0..<60 { group.addTask { (try? await harness.isAdaAuthenticated()) ?? false } }
                    var peak = 0
                    for _ in 0..<5 {
                        let count = try? await fixture.instance.execute("SELECT count(*) \(Self.ours)")
                        peak = max(peak, count.flatMap { Int($0) } ?? 0)
                    }
                    #expect(peak <= 3)
                    return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
                }
            }
            #expect(await countQueries() == 60)
            for fault in [FaultProxy.Fault.reset, .garbage, .partialResponse, .reject] {
                try await fixture.proxy.set(fault)
                #expect(await countQueries() == 0, "\(fault)")
                try await fixture.proxy.set(.none)
                #expect(await countQueries() == 60, "\(fault)")
            }
            #expect(try await fixture.proxy.connections() <= 3)
        }
    }

    @Test("A truncated response is an error, never a partial row")
    func partialResult() async throws {
        try await PostgreSQLFixture.run { fixture in
            let harness = try PostgreSQLHarness(port: fixture.proxy.port, "connect_timeout: 5s\nstatement_timeout: 5s")
            #expect(try await harness.isAdaAuthenticated())
            try await fixture.proxy.set(.partialResponse)
            #expect(await harness.failure() != nil)
        }
    }

    @Test("Too many rows are rejected without being stored")
    func tooManyRows() async throws {
        try await PostgreSQLFixture.run { fixture in
            let rest = PostgreSQLHarness.queries.replacing(
                #""SELECT edition FROM holding WHERE reader = :key""#,
                with: #""SELECT 'e' || generate_series(1, 1000000000) AS edition WHERE :key::text > ''""#)
            // The rows before the limit take longer than the default statement timeout on a busy machine.
            let harness = try PostgreSQLHarness(port: fixture.instance.port, "statement_timeout: 60s", rest: rest)
            guard case .authenticated(let ada) = try await harness.authenticate() else { throw SQLResultError.noRows }
            await #expect(throws: SQLResultError.tooManyRows) {
                try await harness.backend.subscription(of: ada, context: CallContext()).value
            }
            try await eventually("the server has stopped") {
                try await fixture.instance.execute("SELECT count(*) \(Self.ours) AND state = 'active'") == "0"
            }
        }
    }
}

extension PostgreSQLHarness {
    fileprivate func authenticate(password: String) async throws -> AuthenticationResult {
        try await authenticate(StandardReaders.ada.email, password)
    }
}
