import BackendFixtures
import Foundation
import GRDB
import Gatefold
import Settings
import TestSupport
import Testing

@testable import Catalogues

@Suite("Catalogue from a database", .serialized)
struct DatabaseCatalogueTests {
    private static let rows = """
        INSERT INTO edition VALUES ('2026-11', 'November', '2026-11-01', 0, NULL, 'com.example.11', 'News,region=north');
        INSERT INTO edition VALUES ('2026-10', 'Äpfel & Birnen', '2026-10-01 06:00:00', 1, '2026-10-20', NULL, NULL);
        """
    private static let query =
        "SELECT code AS id, name, day, gratis AS free, withdrawn, product, categories FROM edition"
    private static let columns = "columns: {title: name, published: day}"

    private func plan(_ text: String, _ folder: String = "/", _ environment: [String: String] = [:]) throws
        -> CataloguePlan
    {
        try CataloguePlan(
            try YAMLSettings.read(text: text, name: "test.yaml", folder: folder, environment: environment))
    }

    private func expectEditions(_ plan: CataloguePlan) async throws {
        let reading = try await plan.inspect(after: nil)
        #expect(reading.problems == [])
        let catalogue = Catalogue(reading.editions)
        let november = try #require(catalogue[EditionID("2026-11")!])
        #expect(november.title == "November" && november.product == "com.example.11" && !november.isFree)
        #expect(november.details.categories == ["News", "region=north"])
        let october = try #require(catalogue[EditionID("2026-10")!])
        #expect(october.title == "Äpfel & Birnen" && october.isFree)
        #expect(october.published == Date(timeIntervalSince1970: 1_790_834_400))
        #expect(october.withdrawn == Date(timeIntervalSince1970: 1_792_454_400))
    }

    @Test("SQLite: reads the columns and reports missing ones")
    func sqlite() async throws {
        try await withTemporaryFolder { folder in
            let database = try DatabaseQueue(path: folder.appending(path: "editions.sqlite").path)
            try await database.write { database in
                try database.execute(
                    sql: "CREATE TABLE edition (code TEXT, name TEXT, day TEXT, gratis INT, withdrawn TEXT, "
                        + "product TEXT, categories TEXT);\n" + Self.rows)
            }
            func settings(_ query: String, _ columns: String = Self.columns) -> String {
                "kind: sqlite\npath: editions.sqlite\nquery: \"\(query)\"\n\(columns)\n"
            }
            try await expectEditions(try plan(settings(Self.query), folder.path))
            await #expect(throws: CatalogueFailure.missingColumn("published")) {
                try await plan(settings(Self.query, ""), folder.path).inspect(after: nil)
            }
            await #expect(throws: CatalogueFailure.self) {
                try await plan(settings("DELETE FROM edition"), folder.path).inspect(after: nil)
            }
            await #expect(throws: CatalogueFailure.self) {
                try await plan(settings("SELECT * FROM nothing"), folder.path).inspect(after: nil)
            }
        }
    }

    @Test("PostgreSQL: accepts a backend's connection settings and reports a stopped server")
    func postgreSQL() async throws {
        try await PostgreSQLInstance.run { instance in
            try await instance.execute(
                "CREATE TABLE edition (code text, name text, day timestamp, gratis int, withdrawn date, product text, "
                    + "categories text);\nCREATE ROLE gatefold LOGIN PASSWORD 'pg';\nGRANT SELECT ON edition TO gatefold;\n"
                    + Self.rows)
            let plan = try plan(
                """
                kind: postgresql
                connection: {hosts: ["127.0.0.1:\(instance.port)"], database: readers, user: gatefold, password: {env: PG}}
                query: "\(Self.query)"
                \(Self.columns)
                """, "/", ["PG": "pg"])
            try await expectEditions(plan)
            await instance.server.stop(SIGQUIT)
            await #expect(throws: (any Error).self) { try await plan.inspect(after: nil) }
        }
    }

    @Test("MariaDB through ODBC: reads the columns")
    func mariaDB() async throws {
        try await MariaDBInstance.run { instance in
            try await instance.execute(
                "CREATE TABLE edition (code varchar(99), name varchar(99), day datetime, gratis tinyint, withdrawn date, "
                    + "product varchar(99), categories varchar(99)) CHARACTER SET utf8mb4;\n"
                    + "CREATE USER gatefold@'127.0.0.1' IDENTIFIED BY 'my'; GRANT SELECT ON readers.* TO gatefold@'127.0.0.1';\n"
                    + Self.rows)
            let plan = try plan(
                """
                kind: odbc
                connection:
                  driver: MariaDB Unicode
                  user: gatefold
                  password: {env: MY}
                  attributes: {SERVER: 127.0.0.1, PORT: "\(instance.port)", DATABASE: readers}
                query: "\(Self.query)"
                \(Self.columns)
                """, "/", ["MY": "my"])
            try await expectEditions(plan)
        }
    }
}
