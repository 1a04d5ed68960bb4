import BackendFixtures
import Foundation
import Gatefold
import TestSupport
import Testing

@testable import Backends
@testable import ODBC
@testable import Resilience
@testable import SQLAccess

@Suite("ODBC over a real MariaDB", .serialized) struct ODBCMariaDBTests {
    @Test("Latin-1 and UTF-8 columns are decoded correctly and match bound values")
    func characterSets() async throws {
        try await ODBCMariaDBFixture.run { fixture in
            let (old, new) = ("Zoë Œ €", "Zoë 😀 żółć \u{301}")
            try await fixture.instance.execute(
                """
                CREATE TABLE letters (id int, old varchar(50) CHARACTER SET latin1, new text CHARACTER SET utf8mb4,
                    bytes varbinary(50));
                INSERT INTO letters VALUES (1, '\(old)', '\(new)', '\(new)'), (2, x'81FF80', NULL, x'E9');
                """)
            let statement = "SELECT old, new, bytes FROM letters WHERE old = :old AND new = :new"
            for changes in [
                [], [("kind: odbc", "kind: odbc\nencoding: utf-8"), ("PORT", "CHARSET: utf8mb4, PORT")],
            ] {
                let database = try ODBCTesting.database(fixture, changes)
                #expect(try await database.query(statement, ["old": old, "new": new]) == [[old, new, new]])
                #expect(
                    try await database.query("SELECT old, new FROM letters WHERE id = 2") == [["\u{81}ÿ€", nil]],
                    "no byte of a Latin-1 column is invalid")
                #expect(
                    await database.failure("SELECT bytes FROM letters WHERE id = 2")?.error == .undecodable,
                    "bytes that are not text are an error")
            }
            let narrow = try ODBCTesting.database(
                fixture, [("kind: odbc", "kind: odbc\nencoding: windows-1252"), ("PORT", "CHARSET: latin1, PORT")])
            #expect(try await narrow.query("SELECT old FROM letters WHERE old = :old", ["old": old]) == [[old]])
            #expect(try await narrow.query("SELECT old, bytes FROM letters WHERE id = 2") == [["\u{81}ÿ€", "é"]])
        }
    }

    @Test("Pitfall 9: a value with characters that a column lacks is rejected, and is no outage")
    func unknownCharacters() async throws {
        try await ODBCMariaDBFixture.run { fixture in
            try await fixture.instance.execute(
                "CREATE TABLE old (name varchar(50) CHARACTER SET latin1); INSERT INTO old VALUES ('Zoë')")
            let statement = "SELECT name FROM old WHERE name = :name"
            for changes in [
                [], [("kind: odbc", "kind: odbc\nencoding: latin1"), ("PORT", "CHARSET: latin1, PORT")],
            ] {
                let database = try ODBCTesting.database(fixture, changes)
                #expect(try await database.query(statement, ["name": "Zoë"]) == [["Zoë"]])
                #expect(await database.failure(statement, ["name": "Zoë 😀"])?.isValueError == true)
                #expect(try await database.query(statement, ["name": "Zoë"]) == [["Zoë"]])
                #expect(database.idleCount == 1)
            }
            let backend = try ODBCTesting.backend(
                fixture,
                [
                    (
                        "FROM reader WHERE email",
                        "FROM (SELECT *, CONVERT(email USING latin1) AS mail FROM reader) AS r WHERE mail"
                    )
                ])
            let ada = StandardReaders.ada
            let queried = Credentials(identifier: "😀", fields: ["email": "😀", "password": ada.password])
            #expect(try await backend.authenticate(queried, context: CallContext()).value == .rejected(message: nil))
            try await fixture.fail(.error)
            await #expect(throws: ODBCFailure.self, "without its table it is an outage") {
                _ = try await backend.authenticate(queried, context: CallContext()).value
            }
        }
    }

    @Test("NULL, empty values, numbers, dates and long texts arrive unchanged; too long ones are an error")
    func values() async throws {
        try await ODBCMariaDBFixture.run { fixture in
            try await fixture.instance.execute("CREATE TABLE flag (is_on bit(1)); INSERT INTO flag VALUES (b'1')")
            let database = try ODBCTesting.database(fixture)
            #expect(
                try await database.query(
                    """
                    SELECT NULL, '', ' a ', 7, CAST(1.50 AS decimal(10, 2)), DATE '2026-11-20',
                        TIMESTAMP '2026-11-20 10:00:00', is_on, TRUE, :value, :none FROM flag
                    """, ["value": "ö"])
                    == [[nil, "", " a ", "7", "1.50", "2026-11-20", "2026-11-20 10:00:00", "1", "1", "ö", nil]])
            let long = try await database.query("SELECT repeat('ä😀', 100000), 'behind'")
            #expect(long == [[String(repeating: "ä😀", count: 100_000), "behind"]])
            #expect(await database.failure("SELECT repeat('x', 1048577)")?.error == .valueTooLong)
            await #expect(throws: SQLResultError.noRows) { _ = try await database.query("SET @a = 1") }
            await #expect(throws: SQLResultError.tooManyRows) {
                _ = try await database.query("SELECT seq FROM seq_1_to_100001")
            }
            #expect(try await database.query("SELECT count(*) FROM reader") == [["5"]])
        }
    }

    @Test("Pitfall 13: a reader's input is bound, and the server sees one statement for any text")
    func boundParameters() async throws {
        try await ODBCMariaDBFixture.run { fixture in
            let backend = try ODBCTesting.backend(fixture)
            let texts = [
                "nobody", "' OR 1=1--", "'; DROP TABLE reader; --", "\\' OR 1=1 -- ", "?", ":identifier", "%s%n", "\"",
                "{fn user()}", "ada@example.com'#", "a\u{301}😀", String(repeating: "'", count: 900),
            ]
            for text in texts {
                let before = try fixture.instance.log().count
                let credentials = Credentials(identifier: text, fields: ["email": text, "password": text])
                #expect(
                    try await backend.authenticate(credentials, context: CallContext()).value
                        == .rejected(message: nil),
                    "\(text)")
                let lines = try fixture.instance.log().dropFirst(before).filter { $0.contains("reader") }
                let prepared = lines.filter { $0.contains("Prepare\t") }
                #expect(prepared.count == 1 && prepared[0].hasSuffix("FROM reader WHERE email = ?"), "\(lines)")
                #expect(lines.count { $0.contains("Execute\t") } == 1 && lines.count { $0.contains("Query\t") } == 0)
            }
            #expect(try await fixture.instance.execute("SELECT count(*) FROM reader") == "5")
        }
    }

    @Test("Pitfall 9: a rejected service account is an outage, not a rejection, and its name is not logged")
    func wrongServicePassword() async throws {
        try await ODBCMariaDBFixture.run { fixture in
            let backend = try ODBCTesting.backend(fixture, [("user: gatefold", "user: somebody")])
            let ada = StandardReaders.ada
            let credentials = Credentials(
                identifier: ada.email, fields: ["email": ada.email, "password": ada.password])
            for _ in 1...2 {
                let failure = await #expect(throws: ODBCFailure.self) {
                    _ = try await backend.authenticate(credentials, context: CallContext()).value
                }
                #expect(failure?.error == .failed(.connect, sqlState: "28000", native: 1045))
                #expect(failure?.cause.contains("somebody") == false)
            }
            await #expect(throws: ODBCFailure.self) { try await backend.health() }
        }
    }

    @Test(
        "Connections never exceed the pool size, killed ones are replaced within the query, and none is leaked"
    )
    func connections() async throws {
        try await ODBCMariaDBFixture.run { fixture in
            let database = try ODBCTesting.database(fixture, [("size: 8", "size: 3")])
            for round in 1...3 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 1...20 {
                        group.addTask {
                            let result = try await database.query("SELECT sleep(0.02)")
                            #expect(result == [["0"]], "round \(round)")
                        }
                    }
                    try await group.waitForAll()
                }
                let open = try await fixture.instance.connections(of: "gatefold")
                #expect((1...3).contains(open), "\(open)")
                try await fixture.instance.execute("KILL USER gatefold")
                // Otherwise they may still exist next to their replacements.
                try await eventually("killed connections are discarded") {
                    try await fixture.instance.connections(of: "gatefold") == 0
                }
            }
            for fault in [FaultProxy.Fault.reset, .garbage, .partialResponse] {
                try await fixture.proxy.set(fault)
                for _ in 1...4 { #expect(await database.failure("SELECT 1") != nil, "\(fault)") }
                try await fixture.proxy.set(.none)
                #expect(try await database.query("SELECT 1") == [["1"]], "\(fault)")
            }
            try await eventually("all connections are closed") {
                try await fixture.instance.connections(of: "gatefold") <= 3
            }
        }
    }

    @Test("A cancelled query ends at once, and so does its statement on the server")
    func cancelled() async throws {
        try await ODBCMariaDBFixture.run { fixture in
            let database = try ODBCTesting.database(fixture, [("query_timeout: 2s", "query_timeout: 300s")])
            let running = "SELECT count(*) FROM information_schema.processlist WHERE info LIKE 'SELECT sleep(%'"
            let task = Task { try await database.query("SELECT sleep(250)") }
            try await eventually("it runs") { try await fixture.instance.execute(running) == "1" }
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
            try await eventually("it is killed", within: .seconds(5)) {
                try await fixture.instance.execute(running) == "0"
            }
            #expect(try await database.query("SELECT 1") == [["1"]])
        }
    }

    @Test(
        "A stalled server ends every query with a timeout and blocks no thread for longer")
    func stalled() async throws {
        try await ODBCMariaDBFixture.run { fixture in
            let database = try ODBCTesting.database(
                fixture, [("query_timeout: 2s", "query_timeout: 3s"), ("login_timeout: 2s", "login_timeout: 3s")])
            #expect(try await database.query("SELECT 1") == [["1"]])
            await fixture.instance.server.pause()
            #expect(await database.failure("SELECT 1")?.error == .timedOut(.prepare))
            #expect(await database.failure("SELECT 1")?.error == .timedOut(.connect))
            #expect(database.idleCount == 0)
            await fixture.instance.server.resume()
            #expect(try await database.query("SELECT 1") == [["1"]])
        }
    }

    @Test("Two rows for one identifier are a rejection, and an event reports them")
    func severalRows() async throws {
        try await ODBCMariaDBFixture.run { fixture in
            try await fixture.instance.execute(
                "ALTER TABLE reader DROP INDEX email; INSERT INTO reader (email, password_hash, state, everything) "
                    + "SELECT email, password_hash, state, 1 FROM reader WHERE email = 'ada@example.com'")
            let (events, reported) = AsyncStream.makeStream(of: String.self)
            let backend = try ODBCTesting.backend(fixture) { reported.yield($0.name) }
            let ada = StandardReaders.ada
            let credentials = Credentials(
                identifier: ada.email, fields: ["email": ada.email, "password": ada.password])
            #expect(
                try await backend.authenticate(credentials, context: CallContext()).value == .rejected(message: nil))
            reported.finish()
            #expect(await events.reduce(into: []) { $0.append($1) } == ["several_matches"])
        }
    }
}
