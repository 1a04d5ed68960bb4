import Accounts
import Crypto
import Foundation
import GRDB
import Gatefold
import SQLAccess
import TestSupport
import Testing

@testable import State

@Suite("Migration of an older state") struct MigrationTests {
    /// Creates the file that a release left.
    private func restore(_ schema: FrozenSchema, _ path: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { db in
            // Uses the journal mode of the released files.
            try db.execute(sql: schema.sql)
            _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
        }
        try queue.close()
    }

    private func schema(_ db: Database) throws -> [String] {
        try String.fetchAll(
            db, sql: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY sql")
    }

    @Test(
        "The frozen schemas and their migrations never change", arguments: FrozenSchema.all(of: "state"))
    func frozen(_ old: FrozenSchema) async throws {
        let digest = SHA256.hash(data: Data(old.sql.utf8)).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
        #expect(try FrozenSchema.checksums()[old.name] == digest)
        try await withTemporaryFolder { (folder: String) async throws in
            try restore(old, folder + "/old.sqlite")
            let queue = try DatabaseQueue(path: folder + "/old.sqlite")
            let (applied, tables) = try await queue.read { db in
                (try StateSchema.migrator.appliedIdentifiers(db), try schema(db))
            }
            #expect(Set(StateSchema.migrator.migrations.prefix(applied.count)) == applied)
            let today = try DatabaseQueue()
            try StateSchema.migrator.migrate(
                today, upTo: try #require(applied.max { StateSchema.number(of: $0) < StateSchema.number(of: $1) }))
            #expect(try await today.read(schema) == tables)
        }
    }

    @Test("Each past schema has a frozen file")
    func all() {
        #expect(FrozenSchema.all(of: "state").count == StateSchema.migrator.migrations.count)
    }

    @Test("Migration preserves all data of an older state", arguments: FrozenSchema.all(of: "state"))
    func upgrade(_ old: FrozenSchema) async throws {
        try await withTemporaryFolder { (folder: String) async throws in
            let path = folder + "/state.sqlite"
            try restore(old, path)
            let store = try SQLStateStore(path: path)
            #expect(!store.didFindOlderState)
            let ended = [
                Revocation(
                    publication: daily, subscriber: SubscriberPseudonym(bytes: [UInt8](repeating: 1, count: 7))!,
                    session: nil, before: noon + 1),
                Revocation(
                    publication: daily, subscriber: SubscriberPseudonym(bytes: [UInt8](repeating: 2, count: 7))!,
                    session: SessionPseudonym(bytes: [9, 9, 9, 9])!, before: noon + 2),
            ]
            let stored = try await store.revocations(after: 0).map(\.revocation)
            #expect(Array(stored.prefix(2)) == ended)
            #expect(try await store.devices(of: ended[0].subscriber, in: daily).count == 2)
            #expect(try await store.isKnownDevice([UInt8](repeating: 5, count: 32)))
            #expect(try await store.ids(of: buyer(1)) == ["1"])
            let exempt = ExemptSession(session: SessionPseudonym(bytes: [8, 8, 8, 8])!, issuedAt: noon + 5)
            #expect(stored.last?.exempt == exempt)
            #expect(try await store.open(buyer(1)).number == 1)
            // New rows are numbered after all earlier ones.
            let next = Revocation(publication: daily, subscriber: subscriber(9), session: nil, before: noon + 10)
            try await store.record(next)
            let last = try #require(try await store.revocations(after: 3).last)
            #expect(last.revocation == next && last.sequence > 3)
            let first = SaleItem.firstAssigned + 1
            #expect(try await store.itemNumbers(of: ["b"], in: daily) == ["b": first])
            try await store.claim(.sample("2"), by: buyer(2))
            #expect(try await store.ids(of: buyer(2)) == ["2"])
            try await store.health()
            // A second start repeats no migration.
            let again = try SQLStateStore(path: path)
            #expect(try await again.itemNumbers(of: ["c"], in: daily) == ["c": first + 1])
        }
    }

    @Test("Processes that start at the same time migrate once")
    func together() async throws {
        try await withTemporaryFolder { (folder: String) async throws in
            let path = folder + "/state.sqlite"
            try restore(try #require(FrozenSchema.all(of: "state").first), path)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 { group.addTask { try await SQLStateStore(path: path).health() } }
                try await group.waitForAll()
            }
        }
    }

    @Test("Rejects a schema of a newer release and leaves it unchanged")
    func newer() async throws {
        try await withTemporaryFolder { (folder: String) async throws in
            let path = folder + "/state.sqlite"
            do { try SQLStateStore(path: path).close() }
            let queue = try DatabaseQueue(path: path)
            try await queue.write { db in
                try db.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('99 of the future')")
            }
            let error = #expect(throws: StateStoreError.self) { try SQLStateStore(path: path) }
            #expect(error?.isNewerSchema == true)
            #expect(error?.description.contains("99 of the future") == true)
            #expect(throws: (any Error).self) { try StateBackup.make(of: path, to: folder + "/backup") }
        }
    }

    @Test("Pitfall 33: a program goes on and restarts with an additive migration of a newer release")
    func additive() async throws {
        try await withTemporaryFolder { (folder: String) async throws in
            let path = folder + "/state.sqlite"
            let running = try SQLStateStore(path: path)
            func record(_ number: UInt8) async throws {
                try await running.record(
                    Revocation(publication: daily, subscriber: subscriber(number), session: nil, at: noon))
            }
            try await record(1)
            let version = try #require(StateSchema.migrations.last).number
            let additive = SchemaMigration(
                number: version + 1, name: "additive", compatibleSince: version,
                sql: """
                    ALTER TABLE revocation ADD COLUMN cause TEXT;
                    CREATE TABLE novelty (name TEXT PRIMARY KEY) STRICT;
                    CREATE INDEX device_novelty ON device (last_used);
                    """)
            let newer = try DatabasePool(path: path)
            try StateSchema.makeMigrator(of: StateSchema.migrations + [additive]).migrate(newer)
            try await record(2)
            let restarted = try SQLStateStore(path: path)
            #expect(try await restarted.revocations(after: 0).count == 2)
            try await restarted.health()
            await #expect(throws: NewerSchema(unknown: [additive.identifier])) {
                try await restarted.database.read { try $0.rejectUnknown() }
            }
            // A backup has the tables of the newer release, too.
            #expect(try StateBackup.make(of: path, to: folder + "/backup").revocations == 2)
            let contracting = SchemaMigration(
                number: version + 2, name: "contracting", compatibleSince: version + 1, sql: "DROP TABLE pin_code;")
            try StateSchema.makeMigrator(of: StateSchema.migrations + [additive, contracting]).migrate(newer)
            let error = #expect(throws: StateStoreError.self) { try SQLStateStore(path: path) }
            #expect(error?.isNewerSchema == true)
            #expect(error?.description.contains(contracting.identifier) == true)
            #expect(error?.description.contains(additive.identifier) == false)
        }
    }
}

@Suite("Compatibility of schemas") struct SchemaCompatibilityTests {
    private func rejected(_ since: [Int64: Int64], version: Int64) -> [String] {
        let unknown = [5, 6].filter { $0 > version }.map {
            SchemaCompatibility.Unknown(number: $0, name: "migration \($0)")
        }
        return SchemaCompatibility.rejected(unknown, since: since, version: version)
    }

    @Test("A migration refuses programs of versions before the one that it records")
    func boundary() {
        #expect(rejected([5: 4, 6: 4], version: 4) == [])
        #expect(rejected([5: 4, 6: 5], version: 4) == ["migration 6"])
        #expect(rejected([5: 5, 6: 6], version: 4) == ["migration 5", "migration 6"])
        #expect(rejected([5: 5, 6: 5], version: 5) == [])
        #expect(rejected([5: 5, 6: 6], version: 6) == [])
    }

    @Test("A migration without a record refuses all older programs")
    func unrecorded() {
        #expect(rejected([6: 4], version: 4) == ["migration 5"])
        #expect(rejected([:], version: 4) == ["migration 5", "migration 6"])
    }

    @Test("Each migration since the rule records its compatibility, and none claims more than the rule allows")
    func recorded() {
        for migrations in [StateSchema.migrations, PostgreSQLStateSchema.migrations] {
            #expect(migrations.map(\.number) == Array(1...Int64(migrations.count)))
            let first = migrations.firstIndex { $0.compatibleSince != nil } ?? 0
            let start = migrations[first].number
            for migration in migrations[first...] {
                #expect((start...migration.number).contains(migration.compatibleSince ?? 0), "\(migration.identifier)")
            }
        }
    }
}
