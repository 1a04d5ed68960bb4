import BackendFixtures
import Foundation
import Gatefold
import PostgreSQL
import SQLAccess
import TestSupport
import Testing

@testable import State

@Suite("Migration of a PostgreSQL state", .stateServers) struct PostgreSQLMigratorTests {
    private let count = PostgreSQLStateSchema.migrations.count

    private func open(
        _ schema: PostgreSQLSchemaName, migrates: Bool = true
    ) throws -> SQLStateStore {
        let servers = try #require(StateServers.current)
        return try SQLStateStore(
            postgreSQL: try servers.settings(), schema: schema, library: try LibPQ(), migrates: migrates)
    }

    private func execute(_ sql: String, in schema: PostgreSQLSchemaName) async throws -> String {
        try await #require(StateServers.current).instance.execute(
            "SET search_path = \(schema.name); \(sql)", database: "state")
    }

    @Test("Nodes that start at the same time migrate once")
    func together() async throws {
        let schema = StateServers.freshSchema()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<6 { group.addTask { try await open(schema).health() } }
            try await group.waitForAll()
        }
        #expect(try await execute("SELECT count(*) FROM migration", in: schema) == "\(count)")
        #expect(try await execute("SELECT count(*) FROM generation", in: schema) == "1")
    }

    @Test("A node that waited for the migration lock sees what the other node created")
    func waited() async throws {
        let schema = StateServers.freshSchema()
        let key = "hashtext('gatefold migration of \(schema.name)')"
        let locks = "pg_locks WHERE locktype = 'advisory' AND objid::bigint = (\(key)::bigint & 4294967295)"
        // A whole migration would send so many invalidations that PostgreSQL interrupts the waiting connection.
        async let other: String = execute(
            """
            BEGIN;
            SELECT pg_advisory_xact_lock(\(key));
            DO $wait$ BEGIN
                FOR attempt IN 1..1000 LOOP
                    EXIT WHEN EXISTS (SELECT FROM \(locks) AND NOT granted);
                    PERFORM pg_sleep(0.01);
                END LOOP;
            END $wait$;
            SET LOCAL ROLE \(StateServers.user);
            CREATE SCHEMA \(schema.name);
            CREATE TABLE migration (
                number bigint PRIMARY KEY, name text NOT NULL, checksum text NOT NULL,
                applied timestamptz NOT NULL DEFAULT clock_timestamp());
            COMMIT;
            """, in: schema)
        try await eventually("the other node has the lock") {
            try await execute("SELECT count(*) FROM \(locks) AND granted", in: schema) == "1"
        }
        try await open(schema).health()
        _ = try await other
        #expect(try await execute("SELECT count(*) FROM generation", in: schema) == "1")
    }

    @Test("A migration never changes")
    func frozen() {
        #expect(
            PostgreSQLStateSchema.migrations.map(\.checksum) == [
                "6580f9af28112df685e3095323faea165109f6a0f24d18f0c4ec4372de977158",
                "4322917af328ad4571e7e937020e184b1ed13b42edb6a17412c241d53481ec11",
                "208cfca0adf1f38fd1d2a4ae265c862ff3a2a4f0d7ab97fa3eb120d94e833f43",
                "5af55844547f551175db4e017573b5af53dfcbe02cdb81a0d43bd14dcad7e68f",
                "2feead45ebd1dbee6161248824f3614855d704aa67fc9cd7710f080a8d4bf4b1",
                "f3f8bbb2ae37d194e7f326c9fad2917c3834a2ba313d14036d81cff52b5aed5b",
                "afef44c02986643326e0bdeeea002d5d40365ec53d2e4eaa7f61de7fc44f0e0a",
                "e660c4c46c970ea7bd8d16f4fc9dec4d87e9190e811fbdcb007fe2a56d749d85",
                "4cd98891d904da484ffd5d877aa44fceaf960aa65052d7c3ca5241884ff56db3",
            ])
    }

    @Test("Rejects a schema of a newer release and leaves it unchanged")
    func newer() async throws {
        let schema = StateServers.freshSchema()
        try await open(schema).health()
        _ = try await execute("INSERT INTO migration VALUES (99, 'of the future', 'x')", in: schema)
        let error = #expect(throws: StateStoreError.self) { try open(schema) }
        #expect(error?.isNewerSchema == true)
        #expect(error?.description.contains("\"99 of the future\"") == true)
        #expect(try await execute("SELECT count(*) FROM migration", in: schema) == "\(count + 1)")
    }

    /// Applies the migrations of later releases.
    private func migrate(to migrations: [SchemaMigration], _ schema: PostgreSQLSchemaName) throws {
        let settings = try #require(StateServers.current).settings()
        let connection = PostgreSQLConnection(try LibPQ(), settings.server, canceller: Canceller())
        defer { connection.close() }
        try connection.connect()
        try PostgreSQLMigrator(
            connection: connection, schema: schema, migrations: PostgreSQLStateSchema.migrations + migrations
        ).migrate()
    }

    @Test("Pitfall 33: a program goes on and restarts with an additive migration of a newer release")
    func additive() async throws {
        let schema = StateServers.freshSchema()
        let running = try open(schema)
        try await running.record(Revocation(publication: daily, subscriber: subscriber(1), session: nil, at: noon))
        let version = try #require(PostgreSQLStateSchema.migrations.last).number
        let additive = SchemaMigration(
            number: version + 1, name: "additive", compatibleSince: version,
            sql: """
                ALTER TABLE revocation ADD COLUMN cause text;
                CREATE TABLE novelty (name text PRIMARY KEY);
                CREATE INDEX device_novelty ON device (last_used);
                """)
        try migrate(to: [additive], schema)
        try await running.record(Revocation(publication: daily, subscriber: subscriber(2), session: nil, at: noon))
        for migrates in [true, false] {
            let restarted = try open(schema, migrates: migrates)
            try await restarted.health()
            #expect(try await restarted.revocations(after: 0).count == 2)
            await #expect(throws: (any Error).self) { try await restarted.database.write { try $0.rejectUnknown() } }
        }
        #expect(try await execute("SELECT count(*) FROM migration", in: schema) == "\(count + 1)")
        let contracting = SchemaMigration(
            number: version + 2, name: "contracting", compatibleSince: version + 1, sql: "DROP TABLE pin_code;")
        try migrate(to: [additive, contracting], schema)
        let error = #expect(throws: StateStoreError.self) { try open(schema) }
        #expect(error?.isNewerSchema == true)
        #expect(error?.description.contains("\"\(version + 2) contracting\"") == true)
        #expect(error?.description.contains("additive") == false)
    }

    /// Applies a migration that needs an exclusive lock on a table, while a transaction reads the table.
    ///
    /// - Parameter endsBefore: The attempt before which the transaction ends; nil if it does not end.
    /// - Returns: The number of attempts.
    private func migrateBesideReader(_ schema: PostgreSQLSchemaName, endsBefore: Int?) throws -> Int {
        let settings = try #require(StateServers.current).settings()
        let limits = PostgreSQLConnection.Limits(rows: 9, time: .seconds(30))
        let (reader, connection) = (
            PostgreSQLConnection(try LibPQ(), settings.server, canceller: Canceller()),
            PostgreSQLConnection(try LibPQ(), settings.server, canceller: Canceller())
        )
        defer { for each in [reader, connection] { each.close() } }
        for each in [reader, connection] { try each.connect() }
        _ = try reader.script("BEGIN; LOCK TABLE \(schema.name).revocation IN ACCESS SHARE MODE", limits)
        let version = try #require(PostgreSQLStateSchema.migrations.last).number
        let migration = SchemaMigration(
            number: version + 1, name: "column", compatibleSince: version,
            sql: "ALTER TABLE revocation ADD COLUMN cause text;")
        let attempts = Locked(1)
        var migrator = PostgreSQLMigrator(
            connection: connection, schema: schema, migrations: PostgreSQLStateSchema.migrations + [migration])
        migrator.lockTimeout = .milliseconds(50)
        migrator.lockAttempts = 3
        migrator.pause = { _ in
            let attempt = attempts.withLock { number in
                number += 1
                return number
            }
            if attempt == endsBefore { _ = try? reader.change("COMMIT", [], limits) }
        }
        do {
            try migrator.migrate()
        } catch {
            #expect(attempts.withLock(\.self) == 3)
            throw error
        }
        return attempts.withLock(\.self)
    }

    @Test("A migration waits for a backup in short attempts, and gives up with a reason")
    func lockedTable() async throws {
        let schema = StateServers.freshSchema()
        try await open(schema).health()
        let error = #expect(throws: StateStoreError.self) { try migrateBesideReader(schema, endsBefore: nil) }
        #expect(error?.description.contains("a table to migrate is in use by a backup") == true)
        #expect(try await execute("SELECT count(*) FROM migration", in: schema) == "\(count)")
        #expect(try migrateBesideReader(schema, endsBefore: 3) == 3)
        #expect(try await execute("SELECT count(*) FROM migration", in: schema) == "\(count + 1)")
    }

    @Test("Rejects a schema whose migration differs from that of this release")
    func changed() async throws {
        let schema = StateServers.freshSchema()
        try await open(schema).health()
        _ = try await execute("UPDATE migration SET checksum = 'x'", in: schema)
        let error = #expect(throws: StateStoreError.self) { try open(schema) }
        #expect(error?.description.contains("migration 1 differs") == true)
    }

    @Test("A command creates no tables")
    func missing() async throws {
        let schema = StateServers.freshSchema()
        let error = #expect(throws: StateStoreError.self) { try open(schema, migrates: false) }
        #expect(error?.description.contains("`gatefold state migrate`") == true)
        #expect(try await execute("SELECT to_regnamespace('\(schema.name)') IS NULL", in: schema) == "t")
    }

    @Test("A role that may only use the tables serves, and one that may not is rejected")
    func leastPrivilege() async throws {
        let servers = try #require(StateServers.current)
        let schema = StateServers.freshSchema()
        try await open(schema).health()
        let role = "runtime_\(schema.name)"
        _ = try await execute("CREATE ROLE \(role) LOGIN PASSWORD '\(StateServers.password)'", in: schema)
        let settings = try servers.settings(user: role)
        let error = #expect(throws: StateStoreError.self) {
            try SQLStateStore(postgreSQL: settings, schema: schema, library: try LibPQ())
        }
        #expect(error?.description.contains("42501, no permission") == true)
        _ = try await execute(
            """
            GRANT USAGE ON SCHEMA \(schema.name) TO \(role);
            GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(schema.name) TO \(role);
            """, in: schema)
        let store = try SQLStateStore(postgreSQL: settings, schema: schema, library: try LibPQ())
        try await store.health()
        try await store.record(Revocation(publication: daily, subscriber: subscriber(1), session: nil, at: noon))
        #expect(try await store.revocations(after: 0).count == 1)
    }

    @Test("The name of a schema is an identifier without quotes")
    func names() {
        for name in ["gatefold", "a", "a_1", String(repeating: "a", count: 63)] {
            #expect(PostgreSQLSchemaName(name) != nil, "\(name)")
        }
        for name in ["", "1a", "A", "a-b", "a\"b", "a b", "pg_x", "é", String(repeating: "a", count: 64)] {
            #expect(PostgreSQLSchemaName(name) == nil, "\(name)")
        }
    }
}
