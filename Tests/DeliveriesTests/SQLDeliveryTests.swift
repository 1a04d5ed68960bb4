import BackendFixtures
import Commerce
import Foundation
import GRDB
import Primitives
import Settings
import TestSupport
import Testing

@testable import Deliveries

@Suite("Deliveries by SQL statements")
struct SQLDeliveryTests {
    private static let statements = """
        create_table: true
        deadline: 20s
        breaker: {enabled: false}
        statements:
          - UPDATE account SET credit = credit + 5 * :quantity WHERE name = :account
          - INSERT INTO booking (account, product, price) VALUES (:account, :product, :price)
        """

    private static func transport(_ text: String) throws -> any DeliveryTransport {
        let section = try YAMLSettings.read(
            text: "\(text)\n\(statements)", name: "gatefold.yaml", folder: "/nowhere",
            environment: ["PASSWORD": "a password"])
        return try DeliverySettings(section).open(clock: .system, random: .system)
    }

    private static func odbc(port: Int) throws -> any DeliveryTransport {
        try transport(
            """
            kind: odbc
            connection:
              driver: MariaDB Unicode
              attributes: {SERVER: 127.0.0.1, PORT: \(port), DATABASE: readers}
              user: gatefold
              password: {env: PASSWORD}
            query_timeout: 5s
            """)
    }

    private static func postgreSQL(port: Int) throws -> any DeliveryTransport {
        try transport(
            """
            kind: postgresql
            connection: {hosts: ["127.0.0.1:\(port)"], database: readers, user: gatefold, password: {env: PASSWORD}}
            """)
    }

    /// Checks that any database passes behind a proxy that cuts the connection at each step of the transaction.
    private func check(
        _ proxy: FaultProxy, cuts: [String], _ open: () throws -> any DeliveryTransport,
        credit: (String) async throws -> String
    ) async throws {
        let transport = try open()
        try await transport.deliver(.sample("0", quantity: 2))
        try await transport.deliver(.sample("0", quantity: 2))
        #expect(try await credit("1001") == "10")
        var expected = 10
        for (index, cut) in cuts.enumerated() {
            // On an existing connection and on a new one.
            for (name, transport) in [("\(cut) \(index)", transport), ("\(cut) \(index) new", try open())] {
                try await proxy.set(.resetAfter(cut))
                await #expect(throws: (any Error).self, "\(name)") { try await transport.deliver(.sample(name)) }
                try await proxy.set(.none)
                try await transport.deliver(.sample(name))
                try await open().deliver(.sample(name))
                expected += 5
                #expect(try await credit("1001") == "\(expected)", "\(name)")
            }
        }
        // Concurrently: one call delivers, and the others find the delivery done.
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { try? await transport.deliver(.sample("together")) } }
        }
        #expect(try await credit("1001") == "\(expected + 5)")
        // An unknown account is rejected and no booking remains.
        await #expect(throws: DeliveryFailure.rejected(cause: "statement 1 changed no row")) {
            try await transport.deliver(.sample("unknown", account: "9999"))
        }
        // Values are bound, not interpolated.
        await #expect(throws: DeliveryFailure.rejected(cause: "statement 1 changed no row")) {
            try await transport.deliver(.sample("hostile", account: "' OR 1=1 -- "))
        }
        #expect(try await credit("1001") == "\(expected + 5)")
    }

    @Test("Delivers exactly once in PostgreSQL, wherever the connection breaks", .timeLimit(.minutes(5)))
    func postgreSQL() async throws {
        try await PostgreSQLInstance.run { instance in
            try await instance.execute(
                """
                CREATE TABLE account (name text PRIMARY KEY, credit bigint NOT NULL);
                CREATE TABLE booking (account text NOT NULL REFERENCES account, product text NOT NULL, price text);
                INSERT INTO account VALUES ('1001', 0), ('1002', 0);
                CREATE ROLE gatefold LOGIN PASSWORD 'a password';
                GRANT ALL ON SCHEMA public TO gatefold;
                GRANT ALL ON ALL TABLES IN SCHEMA public TO gatefold;
                """)
            try await withFaultProxy(to: instance.port) { proxy in
                try await check(proxy, cuts: ["BEGIN", "INSERT INTO gatefold", "UPDATE", "INTO booking", "COMMIT"]) {
                    try Self.postgreSQL(port: proxy.port)
                } credit: { account in
                    try await instance.execute("SELECT credit FROM account WHERE name = :'n'", ["n": account])
                }
            }
            #expect(try await instance.execute("SELECT count(*) FROM booking") == "12")
            #expect(try await instance.execute("SELECT count(*) FROM gatefold_delivery") == "12")
        }
    }

    @Test("A delivery succeeds while another node creates the table")
    func togetherWithAnotherNode() async throws {
        try await PostgreSQLInstance.run { instance in
            try await instance.execute(
                """
                CREATE TABLE account (name text PRIMARY KEY, credit bigint NOT NULL);
                CREATE TABLE booking (account text NOT NULL, product text NOT NULL, price text);
                INSERT INTO account VALUES ('1001', 0);
                CREATE ROLE gatefold LOGIN PASSWORD 'a password';
                GRANT ALL ON SCHEMA public TO gatefold;
                GRANT ALL ON ALL TABLES IN SCHEMA public TO gatefold;
                """)
            let waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted"
            async let other: String = instance.execute(
                """
                BEGIN; SET LOCAL ROLE gatefold;
                CREATE TABLE gatefold_delivery (
                    id varchar(64) NOT NULL PRIMARY KEY, delivery varchar(700) NOT NULL, delivered_at timestamp NOT NULL);
                DO $wait$ BEGIN
                    FOR attempt IN 1..1000 LOOP
                        EXIT WHEN (\(waiting)) > 0;
                        PERFORM pg_sleep(0.01);
                    END LOOP;
                END $wait$;
                COMMIT;
                """)
            try await eventually("the other node creates the table") {
                try await instance.execute("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") != "0"
            }
            try await Self.postgreSQL(port: instance.port).deliver(.sample("0"))
            _ = try await other
            #expect(try await instance.execute("SELECT count(*) FROM gatefold_delivery") == "1")
        }
    }

    @Test("Delivers exactly once in MariaDB, wherever the connection breaks", .timeLimit(.minutes(5)))
    func mariaDB() async throws {
        try await MariaDBInstance.run { instance in
            try await instance.execute(
                """
                CREATE TABLE account (name varchar(100) PRIMARY KEY, credit bigint NOT NULL);
                CREATE TABLE booking (account varchar(100) NOT NULL, product varchar(100) NOT NULL, price varchar(100));
                INSERT INTO account VALUES ('1001', 0), ('1002', 0);
                CREATE USER gatefold@'%' IDENTIFIED BY 'a password';
                GRANT ALL ON readers.* TO gatefold@'%';
                """)
            try await withFaultProxy(to: instance.port) { proxy in
                try await check(proxy, cuts: ["INSERT INTO gatefold", "UPDATE", "INTO booking", "COMMIT"]) {
                    try Self.odbc(port: proxy.port)
                } credit: { account in
                    try await instance.execute("SELECT credit FROM account WHERE name = '\(account)'")
                }
            }
            #expect(try await instance.execute("SELECT count(*) FROM booking") == "10")
            #expect(try await instance.execute("SELECT count(*) FROM gatefold_delivery") == "10")
        }
    }

    @Test("Delivers exactly once in a SQLite file")
    func sqlite() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "accounts.sqlite").path
            await #expect(throws: (any Error).self) {
                try await Self.transport("kind: sqlite\npath: \(path)").deliver(.sample())
            }
            #expect(!FileManager.default.fileExists(atPath: path))
            let database = try DatabaseQueue(path: path)
            try await database.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE account (name TEXT PRIMARY KEY, credit INTEGER NOT NULL);
                        CREATE TABLE booking (account TEXT NOT NULL, product TEXT NOT NULL, price TEXT NOT NULL);
                        INSERT INTO account VALUES ('1001', 0);
                        """)
            }
            let transport = try Self.transport("kind: sqlite\npath: \(path)")
            for _ in 0..<3 { try await transport.deliver(.sample(quantity: 2)) }
            await #expect(throws: DeliveryFailure.rejected(cause: "statement 1 changed no row")) {
                try await transport.deliver(.sample("2", account: "9999"))
            }
            // A failure of the second statement rolls the first one back.
            await #expect(throws: (any Error).self) { try await transport.deliver(.sample("3", price: nil)) }
            let credit = try await database.read { try Int.fetchOne($0, sql: "SELECT credit FROM account") }
            #expect(credit == 10)
        }
    }
}
