import BackendFixtures
import Foundation
import GRDB
import Gatefold
import PostgreSQL
import Primitives
import SQLAccess
import TestSupport
import Testing

@testable import State

@Suite("Audit log of a copied or restored state", .stateServers) struct AuditRestoreTests {
    private static let chain = AuditLogConformance.chain

    private func shared() throws -> SQLStateStore {
        try SQLStateStore(
            postgreSQL: try #require(StateServers.current).settings(), schema: StateServers.freshSchema(),
            library: try LibPQ())
    }

    private func append(_ count: Int, to store: SQLStateStore) async throws {
        for _ in 0..<count { try await store.append(AuditLogConformance.record(), to: Self.chain) }
    }

    private static func restore() -> AuditLogRestore {
        AuditLogRestore(
            AuditRecord(.stateRestore, by: AuditActor(.commandLineUser, name: "ada@console")), to: chain)
    }

    /// Expects an intact log whose last entry is that of a restore.
    private func expectRestored(
        _ store: SQLStateStore, count: Int64, former: AuditHead?, backup: AuditHead?,
        _ sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let report = try await AuditVerification.run(store, Self.chain)
        #expect(report.firstBreak == nil && report.intact == count, sourceLocation: sourceLocation)
        let last = try #require(try await store.page(AuditQuery(.newestFirst(before: nil), limit: 1)).first)
        #expect(last.action == "state.restore", sourceLocation: sourceLocation)
        let details = AuditDetails([
            ("former_head", former.map(\.description)), ("backup_head", backup.map(\.description)),
        ])
        #expect(last.details == details.text, sourceLocation: sourceLocation)
    }

    @Test("A copy has the same log, which continues there")
    func copied() async throws {
        try await withTemporaryFolder { folder in
            let source = try SQLStateStore(path: folder + "/state.sqlite")
            try await append(5, to: source)
            let (target, back) = (try shared(), try SQLStateStore(path: folder + "/back.sqlite"))
            _ = try await StateCopy(from: source, to: target, didProgress: { _ in }).run()
            #expect(try await target.head() == source.head())
            try await append(2, to: target)
            _ = try await StateCopy(from: target, to: back, didProgress: { _ in }).run()
            try await append(1, to: back)
            let report = try await AuditVerification.run(back, Self.chain)
            #expect(report.firstBreak == nil && report.intact == 8)
        }
    }

    @Test("A log with a gap, which only an owner of the tables can make, is copied with the gap")
    func gap() async throws {
        try await withTemporaryFolder { folder in
            let source = try SQLStateStore(path: folder + "/state.sqlite")
            try await append(5, to: source)
            let triggers = StateSchema.auditTriggers
            try await AuditLogConformance.removeTriggers(source.database)
            try await source.database.write { db in try db.execute("DELETE FROM audit_entry WHERE sequence = 3") }
            try source.close()
            let queue = try DatabaseQueue(path: folder + "/state.sqlite")
            try await queue.write { db in try db.execute(sql: triggers) }
            try queue.close()
            let gap = AuditVerification.Break(sequence: 3, cause: .missing)

            let embedded = try SQLStateStore(path: folder + "/state.sqlite")
            let target = try shared()
            _ = try await StateCopy(from: embedded, to: target, didProgress: { _ in }).run()
            #expect(try await AuditVerification.run(target, Self.chain).firstBreak == gap)
            _ = try await SharedStateBackup.make(of: target, to: folder + "/backup", didProgress: { _ in })
            let restored = try shared()
            _ = try await SharedStateRestore.make(
                from: folder + "/backup", to: restored, folder: folder + "/node", audit: Self.restore(),
                didProgress: { _ in })
            #expect(try await AuditVerification.run(restored, Self.chain).firstBreak == gap)
            #expect(try await restored.head()?.sequence == 6)
            // The copies accept no further gap.
            let insertion = AuditLogConformance.insertion("100, hash")
            for store in [target, restored] {
                await #expect(throws: (any Error).self) {
                    try await store.database.write { db in try db.execute(insertion) }
                }
            }
        }
    }

    @Test("The log of an embedded state goes on after restores of a backup of another state")
    func fork() async throws {
        try await withTemporaryFolder { folder in
            let (path, other) = (folder + "/state.sqlite", folder + "/other.sqlite")
            for (path, count) in [(path, 4), (other, 2)] {
                let store = try SQLStateStore(path: path)
                try await append(count, to: store)
                try store.close()
            }
            _ = try StateBackup.make(of: other, to: folder + "/backup")
            let backup = try await SQLStateStore(path: folder + "/backup").head()
            // The second restore removes what the first has saved.
            for count: Int64 in [5, 6] {
                let state = try SQLStateStore(path: path)
                let former = try await state.head()
                try state.close()
                let restore = try StateRestore.make(
                    from: folder + "/backup", to: path, at: noon, audit: Self.restore())
                let fork = AuditLogRestore.Outcome.forked(
                    former: try #require(former), backup: try #require(backup))
                #expect(restore.auditLog == fork)
                let restored = try SQLStateStore(path: path)
                try await expectRestored(restored, count: count, former: former, backup: backup)
                await #expect(throws: (any Error).self, "The new table has its triggers") {
                    try await restored.database.write { db in try db.execute("DELETE FROM audit_entry") }
                }
                try restored.close()
            }
        }
    }

    @Test("The log of an embedded state goes on after the restore of an older backup")
    func embedded() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/state.sqlite"
            let store = try SQLStateStore(path: path)
            try await append(3, to: store)
            let backup = try await store.head()
            _ = try StateBackup.make(of: path, to: folder + "/backup")
            try await append(4, to: store)
            let former = try await store.head()
            try store.close()
            let restore = try StateRestore.make(from: folder + "/backup", to: path, at: noon, audit: Self.restore())
            #expect(restore.auditLog == .continued && restore.auditLog.warning == nil)
            let restored = try SQLStateStore(path: path)
            try await expectRestored(restored, count: 8, former: former, backup: backup)
            try restored.close()

            // Without the former state, the log is that of the backup.
            try FileManager.default.removeItem(atPath: path)
            _ = try StateRestore.make(from: folder + "/backup", to: path, at: noon, audit: Self.restore())
            try await expectRestored(try SQLStateStore(path: path), count: 4, former: nil, backup: backup)

            // An unreadable state does not prevent the restore.
            try Data("no database".utf8).write(to: URL(fileURLWithPath: folder + "/broken.sqlite"))
            let broken = try StateRestore.make(
                from: folder + "/backup", to: folder + "/broken.sqlite", at: noon, audit: Self.restore())
            #expect(broken.auditLog == .unreadable)
            try await expectRestored(
                try SQLStateStore(path: folder + "/broken.sqlite"), count: 4, former: nil, backup: backup)
        }
    }

    @Test("The log of a state in PostgreSQL goes on after the restore of an older backup, and of that of another state")
    func postgreSQL() async throws {
        try await withTemporaryFolder { folder in
            @discardableResult
            func restore(_ file: String, _ store: SQLStateStore) async throws -> AuditLogRestore.Outcome {
                try await SharedStateRestore.make(
                    from: file, to: store, folder: folder + "/node", audit: Self.restore(), didProgress: { _ in }
                ).auditLog
            }
            let store = try shared()
            try await append(3, to: store)
            let backup = try await store.head()
            _ = try await SharedStateBackup.make(of: store, to: folder + "/backup", didProgress: { _ in })
            try await append(4, to: store)
            let former = try await store.head()
            #expect(try await restore(folder + "/backup", store) == .continued)
            try await expectRestored(store, count: 8, former: former, backup: backup)

            // An empty log takes the entries of the backup over.
            let empty = try shared()
            try await restore(folder + "/backup", empty)
            try await expectRestored(empty, count: 4, former: nil, backup: backup)

            // So does a log of which the backup has the end.
            _ = try await SharedStateBackup.make(of: store, to: folder + "/newer", didProgress: { _ in })
            let older = try shared()
            let source = try SQLStateStore(path: folder + "/backup")
            _ = try await StateCopy(from: source, to: older, didProgress: { _ in }).run()
            try await restore(folder + "/newer", older)
            try await expectRestored(older, count: 9, former: backup, backup: try await store.head())

            let other = try shared()
            try await append(1, to: other)
            let own = try await other.head()
            let outcome = try await restore(folder + "/backup", other)
            let fork = AuditLogRestore.Outcome.forked(former: try #require(own), backup: try #require(backup))
            #expect(outcome == fork)
            #expect(outcome.warning?.contains("remains in the backup alone") == true)
            try await expectRestored(other, count: 2, former: own, backup: backup)
        }
    }

    @Test("A command appends nothing to the state of a newer release")
    func newerRelease() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/state.sqlite"
            try SQLStateStore(path: path).close()
            let queue = try DatabaseQueue(path: path)
            try await queue.write { db in
                try db.execute(
                    sql: """
                        INSERT INTO grdb_migrations VALUES ('99 later');
                        INSERT INTO schema_compatibility VALUES (99, 99);
                        """)
            }
            #expect(throws: NewerSchema.self) {
                try EmbeddedAuditLog.append(AuditLogConformance.record(.stateBackup), to: Self.chain, path: path)
            }
            let count = try await queue.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM audit_entry") }
            #expect(count == 0)
        }
    }

    @Test("A command appends an entry without a migration of the state")
    func withoutMigration() async throws {
        try await withTemporaryFolder { folder in
            for frozen in FrozenSchema.all(of: "state") {
                let path = "\(folder)/\(frozen.name)"
                try frozen.restore(to: path)
                let plan = try SQLStateStore.migrationPlan(path: path)
                let record = AuditLogConformance.record(.stateBackup)
                try EmbeddedAuditLog.append(record, to: Self.chain, path: path)
                #expect(try SQLStateStore.migrationPlan(path: path) == plan)
                let hasLog = plan.version >= (StateSchema.migrations.first { $0.name == "audit" }?.number ?? 0)
                let entries = try await SQLStateStore(path: path).page(AuditQuery(.newestFirst(before: nil), limit: 9))
                #expect(entries.contains { $0.id == record.id } == hasLog, "\(frozen.name)")
            }
        }
    }
}
