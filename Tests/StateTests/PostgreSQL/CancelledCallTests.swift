import BackendFixtures
import Foundation
import Gatefold
import PostgreSQL
import TestSupport
import Testing

@testable import State

@Suite("Calls of clients that disconnect", .stateServers) struct CancelledCallTests {
    @Test("A write that has begun takes effect and retains its connection")
    func write() async throws {
        let servers = try #require(StateServers.current)
        let schema = StateServers.freshSchema()
        let store = try SQLStateStore(postgreSQL: try servers.settings(), schema: schema, library: try LibPQ())
        func connection() async throws -> Int64? {
            try await store.database.read { db in try db.integer("SELECT pg_backend_pid()::bigint") }
        }
        let before = try #require(try await connection())
        let waiting = "FROM pg_locks WHERE pid = \(before) AND NOT granted"
        async let other: String = servers.instance.execute(
            """
            BEGIN;
            LOCK TABLE \(schema.name).lease IN EXCLUSIVE MODE;
            DO $wait$ BEGIN
                FOR attempt IN 1..1000 LOOP
                    EXIT WHEN EXISTS (SELECT \(waiting));
                    PERFORM pg_sleep(0.01);
                END LOOP;
                PERFORM pg_sleep(2);
            END $wait$;
            COMMIT;
            """, database: "state")
        try await eventually("the table is locked") {
            try await servers.instance.execute(
                """
                SELECT count(*) FROM pg_locks
                WHERE relation = '\(schema.name).lease'::regclass AND mode = 'ExclusiveLock' AND granted
                """, database: "state") == "1"
        }
        let call = Task { try await store.takeLease("task", owner: [1], for: 60) }
        try await eventually("the write waits") {
            try await servers.instance.execute("SELECT count(*) \(waiting)", database: "state") == "1"
        }
        call.cancel()
        _ = try await other
        _ = try? await call.value
        #expect(try await connection() == before)
        #expect(try await !store.takeLease("task", owner: [2], for: 60))
    }

    @Test("A call that is cancelled before it begins has no effect")
    func notBegun() async throws {
        let servers = try #require(StateServers.current)
        let store = try SQLStateStore(
            postgreSQL: try servers.settings(), schema: StateServers.freshSchema(), library: try LibPQ())
        let call = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.takeLease("task", owner: [1], for: 60)
        }
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(try await store.takeLease("task", owner: [2], for: 60))
    }
}
