import Crypto
import Foundation
import GRDB
import Gatefold
import TestSupport
import Testing

@testable import State

@Suite("The state of an older release") struct MigrationTests {
    /// Makes the file that a release left.
    private func restore(_ schema: FrozenSchema, _ path: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { db in
            // As the releases have it on disk.
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
        "is a file that never changes, made by migrations that never change", arguments: FrozenSchema.all(of: "state"))
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

    @Test("There is one for each past schema")
    func all() {
        #expect(FrozenSchema.all(of: "state").count >= 3)
    }

    @Test("is brought up to date with all that it holds", arguments: FrozenSchema.all(of: "state"))
    func upgrade(_ old: FrozenSchema) async throws {
        try await withTemporaryFolder { (folder: String) async throws in
            let path = folder + "/state.sqlite"
            try restore(old, path)
            let store = try SQLiteStateStore(path: path)
            #expect(!store.didFindOlderState)
            let ended = [
                Revocation(
                    publication: daily, subscriber: SubscriberReference(bytes: [UInt8](repeating: 1, count: 7))!,
                    session: nil, before: noon + 1),
                Revocation(
                    publication: daily, subscriber: SubscriberReference(bytes: [UInt8](repeating: 2, count: 7))!,
                    session: SessionReference(bytes: [9, 9, 9, 9])!, before: noon + 2),
            ]
            let kept = try await store.revocations(after: 0).map(\.revocation)
            #expect(Array(kept.prefix(2)) == ended)
            #expect(try await store.devices(of: ended[0].subscriber, in: daily).count == 2)
            #expect(try await store.isAcquainted([UInt8](repeating: 5, count: 32)))
            if old.name != "state-1.sql" { #expect(try await store.ids(of: buyer(1)) == ["1"]) }
            if old.name == "state-3.sql" {
                let spared = SparedSession(session: SessionReference(bytes: [8, 8, 8, 8])!, issuedAt: noon + 5)
                #expect(kept.last?.spared == spared)
                #expect(try await store.open(buyer(1)).number == 1)
            }
            // What is new is numbered after what was ever there.
            let next = Revocation(publication: daily, subscriber: subscriber(9), session: nil, before: noon + 10)
            try await store.record(next)
            let last = try #require(try await store.revocations(after: 3).last)
            #expect(last.revocation == next && last.sequence > 3)
            let first = SoldItem.firstAssigned + (old.name == "state-3.sql" ? 1 : 0)
            #expect(try await store.itemNumbers(of: ["b"], in: daily) == ["b": first])
            try await store.claim(.sample("2"), by: buyer(2))
            #expect(try await store.ids(of: buyer(2)) == ["2"])
            try await store.health()
            // Opened again nothing is done twice.
            let again = try SQLiteStateStore(path: path)
            #expect(try await again.itemNumbers(of: ["c"], in: daily) == ["c": first + 1])
        }
    }

    @Test("What a newer release has changed is refused, and stays as it is")
    func newer() async throws {
        try await withTemporaryFolder { (folder: String) async throws in
            let path = folder + "/state.sqlite"
            do { try SQLiteStateStore(path: path).pool.close() }
            let queue = try DatabaseQueue(path: path)
            try await queue.write { db in
                try db.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('99 of the future')")
            }
            let error = #expect(throws: StateStoreError.self) { try SQLiteStateStore(path: path) }
            #expect(error?.isNewerSchema == true)
            #expect(error?.description.contains("99 of the future") == true)
            #expect(throws: (any Error).self) { try StateBackup.make(of: path, to: folder + "/backup") }
        }
    }
}
