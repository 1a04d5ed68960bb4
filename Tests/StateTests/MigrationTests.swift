import Accounts
import Crypto
import Foundation
import GRDB
import Gatefold
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
            try StateSchema.migrator.migrate(today, upTo: try #require(applied.max()))
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
}
