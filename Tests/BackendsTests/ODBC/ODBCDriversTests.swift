import BackendBenches
import Foundation
import GRDB
import Gatefold
import TestSupport
import Testing

@testable import Backends
@testable import ODBC

@Suite("ODBC over SQLite and PostgreSQL, and what all drivers do", .serialized) struct ODBCDriversTests {
    @Test(
        "SQLite: values of every type come as texts, bytes that are no text do not, and a lock is waited for so long only"
    )
    func sqlite() async throws {
        try await ODBCSQLiteBench.run { bench in
            var configuration = Configuration()
            configuration.allowsUnsafeTransactions = true
            let queue = try DatabaseQueue(path: bench.file.path, configuration: configuration)
            try await queue.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE kinds (id integer, name varchar(50), note text, hash blob, is_on boolean, day date);
                        INSERT INTO kinds VALUES (1, 'Zoë', '😀 ż', x'C3A9', 1, '2026-11-20'),
                            (2, NULL, '', NULL, NULL, NULL), (3, CAST(x'61E9' AS text), '', x'E9', 0, '')
                        """)
            }
            let wide = try ODBCTesting.database(bench)
            let narrow = try ODBCTesting.database(bench, [("kind: odbc", "kind: odbc\nencoding: utf-8")])
            for database in [wide, narrow] {
                #expect(
                    try await database.ask("SELECT * FROM kinds WHERE id = :id", ["id": "1"])
                        == [["1", "Zoë", "😀 ż", "é", "1", "2026-11-20"]])
                #expect(
                    try await database.ask("SELECT id, name, note, hash FROM kinds WHERE name IS NULL")
                        == [["2", nil, "", nil]])
                #expect(await database.failure("SELECT hash FROM kinds WHERE id = 3")?.error == .undecodable)
            }
            #expect(
                await narrow.failure("SELECT name FROM kinds WHERE id = 3")?.error == .undecodable,
                "the driver's own conversion would drop the byte")
            try await queue.writeWithoutTransaction { db in try db.execute(sql: "BEGIN EXCLUSIVE") }
            #expect(await wide.failure("SELECT id FROM kinds") != nil)
            try await queue.writeWithoutTransaction { db in try db.execute(sql: "ROLLBACK") }
            #expect(try await wide.ask("SELECT id FROM kinds WHERE id = 1") == [["1"]])
        }
    }

    @Test("SQLite: a cancelled question ends, and so does its work")
    func sqliteCancelled() async throws {
        try await ODBCSQLiteBench.run { bench in
            let database = try ODBCTesting.database(bench, [("size: 8", "size: 1")])
            let endless = "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT count(*) FROM t"
            let question = Task { try await database.ask(endless) }
            try await Task.sleep(for: .milliseconds(200))
            question.cancel()
            await #expect(throws: CancellationError.self) { _ = try await question.value }
            #expect(try await database.ask("SELECT 1") == [["1"]], "the only thread is free again")
        }
    }

    @Test("SQLite: an interrupted question ends while its rows are fetched one by one, too", .timeLimit(.minutes(10)))
    func sqliteInterruptedInFetch() async throws {
        try await ODBCSQLiteBench.run { bench in
            // With StepAPI the driver works in SQLFetch, and in SQLExecute not at all.
            let connection = try ODBCTesting.connection(
                bench, [("attributes: {", "attributes: {StepAPI: 1, ")], chunk: 1_000)
            #expect(try connection.rows("SELECT 1 UNION ALL SELECT 2", []).rows == [["1"], ["2"]])
            let endless = "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT count(*) FROM t"
            let question = Task.detached { try connection.rows(endless, []) }
            try await Task.sleep(for: .milliseconds(200))
            connection.interrupt()
            await #expect(throws: ODBCError.interrupted) { _ = try await question.value }
            #expect(!connection.isUsable)
        }
    }

    @Test("PostgreSQL: what is no number, or no letter of the database, is nobody's, and no outage")
    func postgresqlValues() async throws {
        try await ODBCPostgreSQLBench.run { bench in
            let database = try ODBCTesting.database(bench)
            let statement = "SELECT email FROM reader WHERE id = :id"
            #expect(try await database.ask(statement, ["id": "1"]) == [["ada@example.com"]])
            for text in ["1x", "", "99999999999999999999", "١"] {
                #expect(await database.failure(statement, ["id": text])?.isOfValue == true, "\(text)")
            }
            #expect(await database.failure("SELECT 1 / 0")?.isOfValue == false)
            #expect(
                try await database.ask(
                    "SELECT NULL, '', true, 1.50, DATE '2026-11-20', 'é'::bytea, CAST(:a AS text)", ["a": "ö"])
                    == [[nil, "", "1", "1.50", "2026-11-20", "é", "ö"]])
            try await bench.instance.execute(
                "CREATE DATABASE old ENCODING latin1 LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0",
                database: "postgres")
            try await bench.instance.execute(
                "SET client_encoding = 'UTF8'; CREATE TABLE name (name text); INSERT INTO name VALUES ('Zoë'); GRANT SELECT ON name TO gatefold",
                database: "old")
            let old = try ODBCTesting.database(bench, [("DATABASE: readers", "DATABASE: old")])
            #expect(try await old.ask("SELECT name FROM name WHERE name = :n", ["n": "Zoë"]) == [["Zoë"]])
            #expect(await old.failure("SELECT name FROM name WHERE name = :n", ["n": "😀"])?.isOfValue == true)
        }
    }

    @Test("PostgreSQL: a slow statement ends by the timeout, on the server, too; a killed connection is replaced")
    func postgresqlTimeouts() async throws {
        try await ODBCPostgreSQLBench.run { bench in
            let database = try ODBCTesting.database(bench, [("query_timeout: 2s", "query_timeout: 1s")])
            #expect(await database.failure("SELECT pg_sleep(100)")?.error == .timedOut(.execute))
            let running =
                "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(100)%' AND state = 'active'"
            #expect(try await bench.instance.execute(running) == "0")
            #expect(try await database.ask("SELECT 1") == [["1"]])
            try await bench.instance.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'gatefold'")
            #expect(try await database.ask("SELECT 1") == [["1"]])
        }
    }

    @Test(
        "PostgreSQL: a cancelled question is free of a server that stands still, and the pool is free when that goes on"
    )
    func postgresqlStandingStill() async throws {
        try await ODBCPostgreSQLBench.run { bench in
            let database = try ODBCTesting.database(bench, [("size: 8", "size: 2")])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 1...2 { group.addTask { _ = try await database.ask("SELECT pg_sleep(0.3)") } }
                try await group.waitForAll()
            }
            #expect(database.idleCount == 2)
            await bench.instance.server.pause()
            for _ in 1...4 {
                let question = Task { try await database.ask("SELECT 1") }
                try await Task.sleep(for: .milliseconds(100))
                question.cancel()
                await #expect(throws: CancellationError.self) { _ = try await question.value }
            }
            await bench.instance.server.resume()
            #expect(try await database.ask("SELECT 1") == [["1"]])
            try await eventually("connections are left over") {
                try await bench.instance.execute(
                    "SELECT count(*) <= 2 FROM pg_stat_activity WHERE usename = 'gatefold'") == "t"
            }
        }
    }

    @Test("long values come whole in chunks of any size, from every driver")
    func chunks() async throws {
        let text = String(repeating: "aä😀", count: 300) + "."
        func check(_ bench: some BackendBench) throws {
            for encoding in ["driver", "utf-8"] {
                for chunk in [4, 5, 7, 64, 1_000] {
                    let connection = try ODBCTesting.connection(
                        bench, [("kind: odbc", "kind: odbc\nencoding: \(encoding)")], chunk: chunk)
                    let answer = try connection.rows("SELECT note, 7 FROM lengthy", [])
                    #expect(answer.rows == [[text, "7"]], "\(type(of: bench).name) \(encoding) \(chunk)")
                }
            }
        }
        let create = "CREATE TABLE lengthy (note text); INSERT INTO lengthy VALUES ('\(text)');"
        try await ODBCSQLiteBench.run { bench in
            try await DatabaseQueue(path: bench.file.path).write { try $0.execute(sql: create) }
            try check(bench)
        }
        try await ODBCMariaDBBench.run { bench in
            try await bench.instance.execute(create)
            try check(bench)
        }
        try await ODBCPostgreSQLBench.run { bench in
            try await bench.instance.execute(create + "GRANT SELECT ON lengthy TO gatefold")
            try check(bench)
        }
    }

    @Test("a driver or source that is not there is told by name of the remedy")
    func missingDriver() async throws {
        try await ODBCSQLiteBench.run { bench in
            for (change, state) in [("driver: Nobody's", "01000"), ("dsn: nobody", "IM002")] {
                let database = try ODBCTesting.database(bench, [("driver: SQLite3", change)])
                let failure = await database.failure("SELECT 1")
                #expect(failure?.error == .failed(.connect, sqlState: state, native: 0))
            }
        }
    }
}
