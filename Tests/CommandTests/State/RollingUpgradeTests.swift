import BackendFixtures
import Foundation
import GRDB
import TestSupport
import Testing

@Suite("Rolling upgrade", .serialized) struct RollingUpgradeTests {
    /// Applies a migration of a newer release to a state.
    private struct Migrator {
        let pair: SharedStatePair
        let servers: StateServers?

        /// - Parameter since: An expression for the oldest version whose programs may go on.
        func migrate(_ number: Int, _ name: String, since: String, _ statements: String) async throws {
            let record = """
                INSERT INTO schema_compatibility (version, since) SELECT \(number), \(since) FROM schema_compatibility;
                """
            if let servers {
                try await servers.instance.execute(
                    """
                    BEGIN; SET LOCAL search_path = gatefold; SET LOCAL ROLE \(StateServers.user); \(statements)
                    INSERT INTO migration VALUES (\(number), '\(name)', 'x'); \(record) COMMIT;
                    """, database: "state")
            } else {
                let queue = try DatabaseQueue(path: pair.sample.path("state/state.sqlite"))
                try await queue.write { db in
                    try db.execute(
                        sql: "\(statements) INSERT INTO grdb_migrations VALUES ('\(number) \(name)'); \(record)")
                }
                try queue.close()
            }
        }
    }

    private func with(
        _ kind: SharedStatePair.StateKind, _ body: (SharedStatePair, Migrator) async throws -> Void
    ) async throws {
        switch kind {
        case .sqlite:
            try await SharedStatePair.with(kind) { pair in try await body(pair, Migrator(pair: pair, servers: nil)) }
        case .postgresql:
            try await SharedStatePair.onPostgreSQL { pair, servers in
                try await body(pair, Migrator(pair: pair, servers: servers))
            }
        }
    }

    @Test(
        "Pitfall 33: servers go on and restart after an additive migration of a newer release, and refuse a later one",
        arguments: SharedStatePair.StateKind.allCases)
    func upgrade(kind: SharedStatePair.StateKind) async throws {
        try await with(kind) { pair, migrator in
            let sample = pair.sample
            try pair.reader("old")
            try await withServers([pair.launch(0)]) { _ async throws in
                let (ended, token) = (try await pair.token(0, "old"), try await pair.token(0, "old"))
                try await migrator.migrate(
                    98, "additive", since: "max(version)",
                    """
                    ALTER TABLE revocation ADD COLUMN cause text; CREATE INDEX device_later ON device (last_used);
                    """)
                #expect(try await pair.call(0, "sign_out", ["token": ended]).status == 200)
                try await withServers([pair.launch(1)]) { _ async throws in
                    for number in [0, 1] {
                        #expect(try await pair.state(number, ended) == "unknown", "process \(number)")
                        #expect(try await pair.state(number, token) == "active", "process \(number)")
                        #expect(try await pair.signIn(number, "old").element("token") != nil)
                    }
                }
                try await sample.succeed(["state", "status"])
                let plan = try await sample.succeed(["state", "migrate", "--plan"])
                #expect(plan.contains("version 98 of a newer release, which this release may use"), "\(plan)")
            }
            try await migrator.migrate(99, "contracting", since: "max(version)", "DROP TABLE push_campaign;")
            for arguments in [["serve"], ["state", "status"], ["state", "migrate"], ["state", "migrate", "--plan"]] {
                let run = try await sample.gatefold(arguments)
                #expect(run.status == 78 && run.errorLines.count == 1, "\(arguments): \(run)")
                #expect(run.errors.contains("\"99 contracting\""), "\(run.errors)")
                #expect(!run.errors.contains("additive"), "\(run.errors)")
            }
        }
    }
}
