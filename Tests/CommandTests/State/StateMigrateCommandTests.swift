import BackendFixtures
import Foundation
import GRDB
import TestSupport
import Testing

@Suite("gatefold state migrate", .serialized) struct StateMigrateCommandTests {
    @Test("Shows and applies the migrations of an older file")
    func embedded() async throws {
        try await withSample { sample in
            try sample.removeState()
            let missing = try await sample.gatefold(["state", "migrate"])
            #expect(missing.status == 69 && missing.errors.contains("no state at"), "\(missing)")
            #expect(!FileManager.default.fileExists(atPath: sample.path("state/state.sqlite")))

            let schemas = FrozenSchema.all(of: "state")
            let queue = try DatabaseQueue(path: sample.path("state/state.sqlite"))
            try await queue.writeWithoutTransaction { db in try db.execute(sql: schemas[0].sql) }
            try queue.close()
            for _ in 0..<2 {
                let plan = try await sample.gatefold(["state", "migrate", "--plan"])
                #expect(plan.status == 1 && plan.errors.isEmpty, "\(plan)")
                let last = schemas.count
                #expect(
                    plan.lines.first == "The state has version 1. \(last - 1) migrations lead to version \(last):")
                #expect(
                    plan.output.contains("2 leases: not additive, stop older programs\n    lease: new\n"), "\(plan)")
            }
            let json = try await sample.gatefold(["state", "migrate", "--plan", "--json"])
            #expect(json.status == 1, "\(json)")
            #expect(
                json.output.contains(
                    """
                    {"additive":false,"name":"leases","number":2,"tables":[{"effect":"created","name":"lease"}]}
                    """), "\(json.output)")
            let migrated = try await sample.succeed(["state", "migrate"])
            #expect(migrated.hasPrefix("Migrated the state from version 1 to \(schemas.count):"), "\(migrated)")
            let audited = try await sample.succeed(["audit", "list", "--action", "state.migrate"])
            #expect(audited.contains("from=1 to=\(schemas.count)"), "\(audited)")
            for arguments in [["--plan"], []] {
                let nothing = try await sample.succeed(["state", "migrate"] + arguments)
                #expect(nothing == "Nothing to do: the state has version \(schemas.count).\n")
            }
            try await withServer(sample.launch) { _ in
                _ = try await sample.signIn(sample.newReader())
            }
        }
    }

    @Test("The migration of an empty state leaves no entry, so that the state can still be the target of a copy")
    func emptyTarget() async throws {
        try await SharedStatePair.onPostgreSQL { pair, servers in
            let sample = pair.sample
            try pair.reader("old")
            try await withServer(try pair.embed("state/state.sqlite", as: "embedded.yaml")) { _ async throws in
                _ = try await pair.token(0, "old")
            }
            try await sample.succeed(["state", "migrate"])
            // The schema that a release before the log left.
            try await servers.instance.execute(
                """
                DROP TABLE gatefold.audit_entry, gatefold.reader_event, gatefold.known_reader,
                    gatefold.erased_reader, gatefold.timeline_writer, gatefold.admin_token, gatefold.admin_outcome;
                DROP FUNCTION gatefold.check_audit_sequence;
                DROP FUNCTION gatefold.reject_audit_change;
                DELETE FROM gatefold.migration WHERE number >= 7;
                DELETE FROM gatefold.schema_compatibility WHERE version >= 7;
                """, database: "state")
            let migrated = try await sample.succeed(["state", "migrate"])
            #expect(migrated.contains("audit"), "\(migrated)")
            #expect(try await sample.succeed(["audit", "list"]).isEmpty)
            try await sample.succeed(["state", "copy", "--from", "state/state.sqlite"])
        }
    }

    @Test("Creates the tables for nodes whose account may only use them")
    func leastPrivilege() async throws {
        try await SharedStatePair.onPostgreSQL { pair, servers in
            let sample = pair.sample
            try pair.reader("old")
            try await servers.instance.execute(
                "CREATE ROLE runtime LOGIN PASSWORD '\(StateServers.password)'", database: "state")
            let text = try String(contentsOfFile: sample.path("gatefold.yaml"), encoding: .utf8)
            // PgBouncer knows the other account only.
            try sample.write(
                "runtime.yaml",
                text.replacing("user: \(StateServers.user)", with: "user: runtime")
                    .replacing("127.0.0.1:\(servers.bouncer)", with: "127.0.0.1:\(servers.instance.port)"))
            let rejected = try await sample.gatefold(["serve", "--config", "runtime.yaml"])
            #expect(rejected.status == 69 && rejected.errors.contains("no permission"), "\(rejected)")

            let plan = try await sample.gatefold(["state", "migrate", "--plan"])
            #expect(plan.status == 1 && plan.lines.first?.hasPrefix("The state has version 0. ") == true, "\(plan)")
            try await sample.succeed(["state", "migrate"])
            try await sample.succeed(["state", "migrate", "--plan"])
            try await servers.instance.execute(
                """
                GRANT USAGE ON SCHEMA gatefold TO runtime;
                GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA gatefold TO runtime;
                """, database: "state")
            try await sample.succeed(["state", "migrate", "--plan", "--config", "runtime.yaml"])
            let launch = ServerProcess.Launch(
                GatefoldProgram.path, ["serve", "--config", "runtime.yaml"], in: sample.folder,
                until: .ports([pair.ports[0]]))
            try await withServer(launch) { _ async throws in
                #expect(try await pair.state(0, try await pair.token(0, "old")) == "active")
            }
        }
    }
}
