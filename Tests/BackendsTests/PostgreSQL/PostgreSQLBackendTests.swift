import BackendBenches
import Foundation
import Gatefold
import PostgreSQL
import TestSupport
import Testing

@testable import Backends

@Suite("Against a real PostgreSQL server", .serialized) struct PostgreSQLBackendTests {
    private static let refusal = Recognition.notRecognised(message: nil)
    private static let ours = "FROM pg_stat_activity WHERE application_name = 'gatefold'"

    @Test(
        "Pitfall 13: the server's own log shows nothing but the configured statements, and every text as a bound value")
    func injection() async throws {
        let hostile = [
            "' OR 1=1--", "'; DROP TABLE reader; --", "\\' OR 1=1 -- ", "$1", "$1'||'x", ":identifier", "%s%n", "a\\",
            "*)(uid=*", "]]><x>", "%{var}", "\u{2019} OR 1=1", "E'\\''", "$$ OR $$", "/* */", "😀", "null", "1); --",
        ]
        try await PostgreSQLBench.run { bench in
            let rest = PostgreSQLRig.queries.replacing(
                "email = :identifier\"", with: "email = :identifier AND :password <> 'x'\""
            )
            .replacing("password_hash AS password ", with: "password_hash ").replacing(
                "proof: {field: password}\n", with: "")
            let bound = try PostgreSQLRig(port: bench.instance.port, rest: rest)
            let compared = try PostgreSQLRig(port: bench.instance.port)
            for text in hostile {
                #expect(try await bound.recognise(text, text) == Self.refusal, "\(text)")
                #expect(try await compared.recognise(text, text) == Self.refusal, "\(text)")
                #expect(try await compared.recognise(password: text) == Self.refusal, "\(text)")
                let subscriber = Subscriber(backend: "legacy", key: text)
                // No number: the statement is wrong for such a key, and nobody can have it.
                _ = try? await bound.backend.subscription(of: subscriber, inquiry: Inquiry())
            }
            for text in ["\u{0}", "a\u{0}' OR 1=1--", String(repeating: "'", count: 1_000_000)] {
                #expect(try await bound.recognise(text, text) == Self.refusal)
            }
            #expect(try await bench.instance.execute("SELECT count(*) FROM reader") == "5")
            let log = await bench.instance.server.output
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

    @Test("letters where the table has numbers, and letters that its encoding lacks, are nobody's and no outage")
    func refusedValues() async throws {
        try await PostgreSQLBench.run { bench in
            let rest = PostgreSQLRig.queries.replacing("email = :identifier", with: "id = :identifier")
            let rig = try PostgreSQLRig(port: bench.instance.port, rest: rest)
            for text in ["abc", "99999999999999999999", "1.5", "", "''"] {
                #expect(try await rig.recognise(text) == Self.refusal, "\(text)")
            }
            #expect(try await rig.recognise("1") != Self.refusal)
            try await bench.instance.execute(
                "CREATE DATABASE latin TEMPLATE template0 ENCODING LATIN1 LC_COLLATE 'C' LC_CTYPE 'C'")
            try await bench.instance.execute(
                "CREATE TABLE reader (id int, email text, password_hash text); GRANT SELECT ON reader TO gatefold",
                database: "latin")
            try await bench.instance.execute(
                "INSERT INTO reader VALUES (7, :'email', :'hash')",
                ["email": "zoë@example.com", "hash": try PasswordHasher(cost: 1).hash("right")], database: "latin")
            let connection = "hosts: [\"127.0.0.1:\(bench.instance.port)\"]"
            let latin = try PostgreSQLRig(connection: connection, database: "latin")
            #expect(try await latin.recognise("zoë@example.com", "right") != Self.refusal)
            #expect(try await latin.recognise("łódź@example.com", "right") == Self.refusal)
        }
    }

    @Test(
        "what a reader types for a pattern is no outage, nor is a stored value that is no date taken for the reader's")
    func patternsAndStoredValues() async throws {
        try await PostgreSQLBench.run { bench in
            let port = bench.instance.port
            func rig(_ condition: String) throws -> PostgreSQLRig {
                try PostgreSQLRig(
                    port: port, rest: PostgreSQLRig.queries.replacing("email = :identifier", with: condition))
            }
            #expect(try await rig("email ILIKE :identifier").recognise("%\\") == Self.refusal)
            #expect(try await rig("email ~ :identifier").recognise("(") == Self.refusal)
            #expect(try await rig("(:identifier::jsonb) IS NOT NULL").recognise("{") == Self.refusal)
            for (condition, state) in [
                ("state::date < now() AND email = :identifier", "22007"),
                ("state::int = 1 OR email = :identifier", "22P02"),
                ("1 / (length(:identifier) - length(:identifier)) = 1", "22012"),
            ] {
                let failure = await (try rig(condition)).failure()
                #expect(failure == .answered(sqlState: state), "\(condition)")
                #expect(failure.map { PostgreSQLFailure(error: $0).isOfOneAnswer } == true)
            }
        }
    }

    @Test("an edition that is no number, and one reader's odd row, open no circuit breaker")
    func breaker() async throws {
        try await PostgreSQLBench.run { bench in
            let rest = PostgreSQLRig.queries.replacing(
                "proof:",
                with: "  verdict: \"SELECT 1 FROM reader WHERE id = :key AND length(state) < :edition::int\"\nproof:")
            let rig = try PostgreSQLRig(port: bench.instance.port, rest: rest)
            guard case .recognised(let ada) = try await rig.recognise() else {
                Issue.record("not recognised")
                return
            }
            for (edition, expected) in [
                ("abc", EditionVerdict.refused(.notEntitled, message: nil)),
                ("99999999999999999999", .refused(.notEntitled, message: nil)),
                ("99", .granted),
            ] {
                let id = try #require(EditionID(edition))
                #expect(try await rig.backend.verdict(on: id, for: ada, inquiry: Inquiry()) == expected, "\(edition)")
            }
        }
    }

    @Test("a restart between two questions is not seen by the reader")
    func restart() async throws {
        try await PostgreSQLBench.run { bench in
            let rig = try PostgreSQLRig(port: bench.instance.port)
            for signal: Int32 in [2, 3, 9] {
                #expect(try await rig.isAdaRecognised())
                await bench.instance.server.stop(signal)
                try await bench.instance.start()
                #expect(try await rig.isAdaRecognised(), "after signal \(signal)")
            }
            #expect(try await rig.isAdaRecognised())
            try await bench.instance.execute("SELECT pg_terminate_backend(pid) \(Self.ours)")
            #expect(try await rig.isAdaRecognised(), "after its connection was ended")
        }
    }

    @Test("the first of several hosts may be down, silent or in standby")
    func hosts() async throws {
        try await PostgreSQLInstance.run(access: ["local replication all trust"]) { primary in
            try await primary.execute(PostgreSQLBench.schema, ["password": PostgreSQLBench.password])
            try await primary.withStandby { standby in
                let free = try FreePort.find()
                func rig(_ first: Int, _ session: String) throws -> PostgreSQLRig {
                    try PostgreSQLRig(
                        connection: """
                            hosts: ["127.0.0.1:\(first)", "127.0.0.1:\(primary.port)"]
                            target_session_attrs: \(session)
                            connect_timeout: 3s
                            """, rest: Self.whichServer)
                }
                try await eventually("the standby has the tables") {
                    (try? await standby.execute("SELECT count(*) FROM reader")) == "0"
                }
                #expect(try await rig(free, "any").recognise() == Self.key("primary"))
                #expect(try await rig(standby.port, "any").recognise() == Self.key("standby"))
                #expect(try await rig(standby.port, "read-write").failure() == .couldNotConnect(.unsuitableServer))
                #expect(try await rig(standby.port, "primary").recognise() == Self.key("primary"))
                #expect(try await rig(standby.port, "standby").recognise() == Self.key("standby"))
                #expect(try await rig(free, "prefer-standby").recognise() == Self.key("primary"))
                #expect(try await rig(primary.port, "standby").failure() == .couldNotConnect(.unsuitableServer))
                try await withFaultProxy(to: standby.port) { proxy in
                    try await proxy.set(.stall)
                    #expect(try await rig(proxy.port, "any").recognise() == Self.key("primary"))
                }
                let nobody = try PostgreSQLRig(port: free)
                #expect(await nobody.failure() == .couldNotConnect(.unreachable))
            }
        }
    }

    /// Recognises everybody, as the server that is asked.
    private static let whichServer = """
        queries:
          recognise: >-
            SELECT CASE WHEN pg_is_in_recovery() THEN 'standby' ELSE 'primary' END AS key
            WHERE :identifier::text <> '' AND :password::text <> ''
          subscription: "SELECT 'active' AS state WHERE :key::text <> ''"
        """

    private static func key(_ key: String) -> Recognition { .recognised(Subscriber(backend: "legacy", key: key)) }

    @Test("a wrong password of Gatefold's own account, a missing database and a missing table could not be asked")
    func ownMistakes() async throws {
        try await PostgreSQLBench.run { bench in
            let port = bench.instance.port
            #expect(
                try await PostgreSQLRig(port: port, password: "wrong").failure() == .couldNotConnect(.authentication))
            let missing = try PostgreSQLRig(connection: "hosts: [\"127.0.0.1:\(port)\"]", database: "none")
            #expect(await missing.failure() == .couldNotConnect(.answered(sqlState: "3D000")))
            for (from, to, state) in [
                ("FROM reader", "FROM nothing", "42P01"), ("password_hash", "nothing", "42703"),
                ("email = ", "nothing(email) = ", "42883"), ("SELECT id", "SELECT FROM WHERE id", "42601"),
                ("SELECT id", "SELECT pg_read_file('/etc/passwd'), id", "42501"),
            ] {
                let rest = PostgreSQLRig.queries.replacing(from, with: to)
                #expect(
                    try await PostgreSQLRig(port: port, rest: rest).failure() == .answered(sqlState: state), "\(to)")
            }
            try await bench.instance.execute("GRANT ALL ON reader TO gatefold")
            let rest = PostgreSQLRig.queries.replacing(
                #""SELECT id AS key, password_hash AS password FROM reader WHERE email = :identifier""#,
                with:
                    #""UPDATE reader SET state = 'active' WHERE email = :identifier RETURNING id AS key, password_hash AS password""#
            )
            #expect(
                try await PostgreSQLRig(port: port, rest: rest).failure() == .answered(sqlState: "25006"),
                "transactions only read unless said")
            #expect(try await PostgreSQLRig(port: port, "read_only: false", rest: rest).isAdaRecognised())
        }
    }

    @Test("a statement that takes too long is ended by the server's statement timeout")
    func statementTimeout() async throws {
        try await PostgreSQLBench.run { bench in
            let rest = PostgreSQLRig.queries.replacing(
                "FROM reader WHERE email", with: "FROM reader, pg_sleep(30) WHERE email")
            let rig = try PostgreSQLRig(port: bench.instance.port, "statement_timeout: 1s", rest: rest)
            #expect(await rig.failure() == .answered(sqlState: "57014"))
        }
    }

    @Test("a cancelled question ends at once, and its statement ends on the server")
    func cancellation() async throws {
        try await PostgreSQLBench.run { bench in
            let rest = PostgreSQLRig.queries.replacing(
                "FROM reader WHERE email", with: "FROM reader, pg_sleep(50) WHERE email")
            let rig = try PostgreSQLRig(port: bench.instance.port, "statement_timeout: 60s", rest: rest)
            let questions = (0..<5).map { _ in Task { try await rig.recognise() } }
            try await eventually("all sleep") {
                try await bench.instance.execute("SELECT count(*) \(Self.ours) AND state = 'active'") == "5"
            }
            for question in questions { question.cancel() }
            for question in questions {
                await #expect(throws: CancellationError.self) { try await question.value }
            }
            try await eventually("no statement and no connection is left", within: .seconds(5)) {
                try await bench.instance.execute("SELECT count(*) \(Self.ours)") == "0"
            }
        }
    }

    @Test("the server never sees more connections than the pool has, whatever arrives and whatever breaks")
    func connections() async throws {
        try await PostgreSQLBench.run { bench in
            // No fault leaves a question without an end: the limits are for a busy machine.
            let rig = try PostgreSQLRig(
                port: bench.proxy.port, "connect_timeout: 5s\nstatement_timeout: 5s",
                rest: "pool: {size: 3}\n" + PostgreSQLRig.queries)
            func ask() async -> Int {
                await withTaskGroup(of: Bool.self) { group in
                    for _ in 0..<60 { group.addTask { (try? await rig.isAdaRecognised()) ?? false } }
                    var most = 0
                    for _ in 0..<5 {
                        let count = try? await bench.instance.execute("SELECT count(*) \(Self.ours)")
                        most = max(most, count.flatMap { Int($0) } ?? 0)
                    }
                    #expect(most <= 3)
                    return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
                }
            }
            #expect(await ask() == 60)
            for fault in [FaultProxy.Fault.reset, .garbage, .halfAnswer, .refuse] {
                try await bench.proxy.set(fault)
                #expect(await ask() == 0, "\(fault)")
                try await bench.proxy.set(.none)
                #expect(await ask() == 60, "\(fault)")
            }
            #expect(try await bench.proxy.connections() <= 3)
        }
    }

    @Test("an answer cut off anywhere is thrown: half a row is none")
    func halfAnAnswer() async throws {
        try await PostgreSQLBench.run { bench in
            let rig = try PostgreSQLRig(port: bench.proxy.port, "connect_timeout: 5s\nstatement_timeout: 5s")
            #expect(try await rig.isAdaRecognised())
            try await bench.proxy.set(.halfAnswer)
            #expect(await rig.failure() != nil)
        }
    }

    @Test("more rows than anybody holds are refused without being kept")
    func tooManyRows() async throws {
        try await PostgreSQLBench.run { bench in
            let rest = PostgreSQLRig.queries.replacing(
                #""SELECT edition FROM holding WHERE reader = :key""#,
                with: #""SELECT 'e' || generate_series(1, 1000000000) AS edition WHERE :key::text > ''""#)
            let rig = try PostgreSQLRig(port: bench.instance.port, rest: rest)
            guard case .recognised(let ada) = try await rig.recognise() else { throw SQLAnswerError.noRows }
            await #expect(throws: SQLAnswerError.tooManyRows) {
                try await rig.backend.subscription(of: ada, inquiry: Inquiry())
            }
            try await eventually("the server has stopped") {
                try await bench.instance.execute("SELECT count(*) \(Self.ours) AND state = 'active'") == "0"
            }
        }
    }
}

extension PostgreSQLRig {
    fileprivate func recognise(password: String) async throws -> Recognition {
        try await recognise(StandardReaders.ada.email, password)
    }
}
