import BackendFixtures
import Foundation
import GRDB
import PostgreSQL
import TestSupport
import Testing

@testable import State

@Suite("Plan of migrations", .stateServers) struct MigrationPlanTests {
    private static let change = SchemaMigration(
        number: 9, name: "change", compatibleSince: 8,
        sql: """
            -- ALTER TABLE comment (a); is no statement.
            CREATE TABLE fresh (a TEXT NOT NULL); -- nor is this: DELETE FROM comment;
            CREATE INDEX fresh_a ON fresh (a);
            CREATE UNIQUE INDEX device_a ON device (first_used);
            ALTER TABLE receipt ADD COLUMN a TEXT;
            UPDATE receipt SET a = 'b';
            INSERT INTO fresh SELECT a FROM receipt;
            DELETE FROM claim WHERE owner IS NULL;
            DROP TABLE pin_code;
            """)

    @Test("Names each changed table once, with the change that disturbs other programs most")
    func tables() {
        let changes = TableChange.all(in: Self.change.sql)
        #expect(changes.map(\.table) == ["fresh", "device", "receipt", "claim", "pin_code"])
        #expect(changes.map(\.effect) == [.created, .indexed, .altered, .filled, .altered])
    }

    @Test("Estimates the rows of tables that exist")
    func rows() throws {
        let plan = try MigrationPlan([Self.change], applied: 0, version: 8) { $0 == "device" ? 12 : nil }
        #expect(plan.steps.map(\.isAdditive) == [true] && plan.steps.map(\.compatibleSince) == [8])
        #expect(plan.steps[0].changes.map(\.rows) == [nil, 12, nil, nil, nil])
        #expect(try MigrationPlan([Self.change], applied: 1, version: 9, rows: { _ in 1 }).steps.isEmpty)
    }

    @Test("Knows the tables of each migration")
    func known() throws {
        let state = TableChange.all(in: try #require(StateSchema.migrations.first).sql)
        #expect(state.count == 19, "\(state)")
        #expect(state.allSatisfy { $0.effect == .created })
        for migration in StateSchema.migrations + PostgreSQLStateSchema.migrations {
            #expect(!TableChange.all(in: migration.sql).isEmpty, "\(migration.identifier)")
        }
    }

    @Test("The plan of an older file changes nothing")
    func embedded() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/state.sqlite"
            let queue = try DatabaseQueue(path: path)
            try await queue.writeWithoutTransaction { db in
                try db.execute(sql: try #require(FrozenSchema.all(of: "state").first).sql)
            }
            for _ in 0..<2 {
                let plan = try SQLStateStore.migrationPlan(path: path)
                #expect(plan.version == 1)
                #expect(plan.steps.map(\.number) == StateSchema.migrations.dropFirst().map(\.number))
            }
            try SQLStateStore(path: path).close()
            let plan = try SQLStateStore.migrationPlan(path: path)
            #expect(plan.steps.isEmpty && plan.version == plan.known)
        }
    }

    @Test("The plan of a schema that does not exist has all migrations, and changes nothing")
    func shared() async throws {
        let servers = try #require(StateServers.current)
        let (schema, settings) = (StateServers.freshSchema(), try servers.settings())
        func plan() throws -> MigrationPlan {
            try SQLStateStore.migrationPlan(postgreSQL: settings, schema: schema, library: try LibPQ())
        }
        for _ in 0..<2 {
            #expect(try plan().version == 0)
            #expect(try plan().steps.map(\.number) == PostgreSQLStateSchema.migrations.map(\.number))
        }
        let store = try SQLStateStore(postgreSQL: settings, schema: schema, library: try LibPQ())
        #expect(try plan().steps.isEmpty)
        try await store.database.write { db in
            try db.execute("INSERT INTO migration VALUES (99, 'later', 'x')")
            try db.execute("INSERT INTO schema_compatibility VALUES (99, 3)")
        }
        #expect(try plan().steps.isEmpty && plan().version == 99)
        try await store.database.write { db in try db.execute("UPDATE schema_compatibility SET since = 99") }
        #expect(throws: StateStoreError.self) { try plan() }
    }
}
