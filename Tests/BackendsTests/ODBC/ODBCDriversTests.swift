import BackendFixtures
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Backends
@testable import ODBC
@testable import SQLAccess

@Suite("ODBC over SQLite and PostgreSQL, and behaviour of all drivers", .serialized) struct ODBCDriversTests {
    @Test(
        "SQLite: values of every type are read as text, invalid bytes are an error, and a lock times out"
    )
    func sqlite() async throws {
        try await ODBCSQLiteFixture.run { fixture in
            var configuration = Configuration()
            configuration.allowsUnsafeTransactions = true
            let queue = try DatabaseQueue(path: fixture.file.path, configuration: configuration)
            try await queue.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE kinds (id integer, name varchar(50), note text, hash blob, is_on boolean, day date);
                        INSERT INTO kinds VALUES (1, 'Zoë', '😀 ż', x'C3A9', 1, '2026-11-20'),
                            (2, NULL, '', NULL, NULL, NULL), (3, CAST(x'61E9' AS text), '', x'E9', 0, '')
                        """)
            }
            let wide = try ODBCTesting.database(fixture)
            let narrow = try ODBCTesting.database(fixture, [("kind: odbc", "kind: odbc\nencoding: utf-8")])
            for database in [wide, narrow] {
                #expect(
                    try await database.query("SELECT * FROM kinds WHERE id = :id", ["id": "1"])
                        == [["1", "Zoë", "😀 ż", "é", "1", "2026-11-20"]])
                #expect(
                    try await database.query("SELECT id, name, note, hash FROM kinds WHERE name IS NULL")
                        == [["2", nil, "", nil]])
                #expect(await database.failure("SELECT hash FROM kinds WHERE id = 3")?.error == .undecodable)
            }
            #expect(
                await narrow.failure("SELECT name FROM kinds WHERE id = 3")?.error == .undecodable,
                "the driver's own conversion would drop the byte")
            try await queue.writeWithoutTransaction { db in try db.execute(sql: "BEGIN EXCLUSIVE") }
            #expect(await wide.failure("SELECT id FROM kinds") != nil)
            try await queue.writeWithoutTransaction { db in try db.execute(sql: "ROLLBACK") }
            #expect(try await wide.query("SELECT id FROM kinds WHERE id = 1") == [["1"]])
        }
    }

    @Test("SQLite: a cancelled query ends, and so does its work")
    func sqliteCancelled() async throws {
        try await ODBCSQLiteFixture.run { fixture in
            let database = try ODBCTesting.database(fixture, [("size: 8", "size: 1")])
            let endless = "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT count(*) FROM t"
            let task = Task { try await database.query(endless) }
            try await Task.sleep(for: .milliseconds(200))
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
            #expect(try await database.query("SELECT 1") == [["1"]], "the only thread is free again")
        }
    }

    @Test("SQLite: an interrupted query ends while its rows are fetched one by one, too", .timeLimit(.minutes(10)))
    func sqliteInterruptedInFetch() async throws {
        try await ODBCSQLiteFixture.run { fixture in
            // With StepAPI the driver works in SQLFetch only, not in SQLExecute.
            let connection = try ODBCTesting.connection(
                fixture, [("attributes: {", "attributes: {StepAPI: 1, ")], chunk: 1_000)
            #expect(try connection.rows("SELECT 1 UNION ALL SELECT 2", []).rows == [["1"], ["2"]])
            let endless = "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT count(*) FROM t"
            let task = Task { await onOwnThread { Result { try connection.rows(endless, []) } } }
            try await Task.sleep(for: .milliseconds(200))
            connection.interrupt()
            await #expect(throws: ODBCError.interrupted) { _ = try await task.value.get() }
            #expect(!connection.isUsable)
        }
    }

    @Test("PostgreSQL: a value that its type or encoding cannot hold is a value error, not an outage")
    func postgresqlValues() async throws {
        try await ODBCPostgreSQLFixture.run { fixture in
            let database = try ODBCTesting.database(fixture)
            let statement = "SELECT email FROM reader WHERE id = :id"
            #expect(try await database.query(statement, ["id": "1"]) == [["ada@example.com"]])
            for text in ["1x", "", "99999999999999999999", "١"] {
                #expect(await database.failure(statement, ["id": text])?.isValueError == true, "\(text)")
            }
            #expect(await database.failure("SELECT 1 / 0")?.isValueError == false)
            #expect(
                try await database.query(
                    "SELECT NULL, '', true, 1.50, DATE '2026-11-20', 'é'::bytea, CAST(:a AS text)", ["a": "ö"])
                    == [[nil, "", "1", "1.50", "2026-11-20", "é", "ö"]])
            try await fixture.instance.execute(
                "CREATE DATABASE old ENCODING latin1 LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0",
                database: "postgres")
            try await fixture.instance.execute(
                "SET client_encoding = 'UTF8'; CREATE TABLE name (name text); INSERT INTO name VALUES ('Zoë'); GRANT SELECT ON name TO gatefold",
                database: "old")
            let old = try ODBCTesting.database(fixture, [("DATABASE: readers", "DATABASE: old")])
            #expect(try await old.query("SELECT name FROM name WHERE name = :n", ["n": "Zoë"]) == [["Zoë"]])
            #expect(await old.failure("SELECT name FROM name WHERE name = :n", ["n": "😀"])?.isValueError == true)
        }
    }

    @Test("PostgreSQL: a slow statement times out, on the server too, and a killed connection is replaced")
    func postgresqlTimeouts() async throws {
        try await ODBCPostgreSQLFixture.run { fixture in
            let database = try ODBCTesting.database(fixture, [("query_timeout: 2s", "query_timeout: 1s")])
            #expect(await database.failure("SELECT pg_sleep(100)")?.error == .timedOut(.execute))
            let running =
                "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(100)%' AND state = 'active'"
            #expect(try await fixture.instance.execute(running) == "0")
            #expect(try await database.query("SELECT 1") == [["1"]])
            try await fixture.instance.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'gatefold'")
            #expect(try await database.query("SELECT 1") == [["1"]])
        }
    }

    @Test(
        "PostgreSQL: a cancelled query leaves a stalled server at once, and the pool recovers with the server"
    )
    func postgresqlStalled() async throws {
        try await ODBCPostgreSQLFixture.run { fixture in
            let database = try ODBCTesting.database(fixture, [("size: 8", "size: 2")])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 1...2 { group.addTask { _ = try await database.query("SELECT pg_sleep(0.3)") } }
                try await group.waitForAll()
            }
            #expect(database.idleCount == 2)
            await fixture.instance.server.pause()
            for _ in 1...4 {
                let task = Task { try await database.query("SELECT 1") }
                try await Task.sleep(for: .milliseconds(100))
                task.cancel()
                await #expect(throws: CancellationError.self) { _ = try await task.value }
            }
            await fixture.instance.server.resume()
            #expect(try await database.query("SELECT 1") == [["1"]])
            try await eventually("all connections are closed") {
                try await fixture.instance.execute(
                    "SELECT count(*) <= 2 FROM pg_stat_activity WHERE usename = 'gatefold'") == "t"
            }
        }
    }

    @Test("Long values are read completely in chunks of any size, from every driver")
    func chunks() async throws {
        let text = String(repeating: "aä😀", count: 300) + "."
        func check(_ fixture: some BackendFixture) throws {
            for encoding in ["driver", "utf-8"] {
                for chunk in [4, 5, 7, 64, 1_000] {
                    let connection = try ODBCTesting.connection(
                        fixture, [("kind: odbc", "kind: odbc\nencoding: \(encoding)")], chunk: chunk)
                    let result = try connection.rows("SELECT note, 7 FROM lengthy", [])
                    #expect(result.rows == [[text, "7"]], "\(type(of: fixture).name) \(encoding) \(chunk)")
                }
            }
        }
        let create = "CREATE TABLE lengthy (note text); INSERT INTO lengthy VALUES ('\(text)');"
        try await ODBCSQLiteFixture.run { fixture in
            try await DatabaseQueue(path: fixture.file.path).write { try $0.execute(sql: create) }
            try check(fixture)
        }
        try await ODBCMariaDBFixture.run { fixture in
            try await fixture.instance.execute(create)
            try check(fixture)
        }
        try await ODBCPostgreSQLFixture.run { fixture in
            try await fixture.instance.execute(create + "GRANT SELECT ON lengthy TO gatefold")
            try check(fixture)
        }
    }

    @Test("A missing driver or data source is reported with its SQLSTATE")
    func missingDriver() async throws {
        try await ODBCSQLiteFixture.run { fixture in
            for (change, state) in [("driver: Nobody's", "01000"), ("dsn: nobody", "IM002")] {
                let database = try ODBCTesting.database(fixture, [("driver: SQLite3", change)])
                let failure = await database.failure("SELECT 1")
                #expect(failure?.error == .failed(.connect, sqlState: state, native: 0))
            }
        }
    }
}
