import Crypto
import Foundation
import GRDB
import Gatefold
import TestSupport
import Testing

@testable import Backends

@Suite("Upgrade of older subscriber databases") struct SubscriberMigrationTests {
    private func restore(_ schema: FrozenSchema, _ path: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { db in
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
        "A frozen schema never changes, and neither do the migrations that created it",
        arguments: FrozenSchema.all(of: "subscribers"))
    func frozen(_ old: FrozenSchema) async throws {
        let digest = SHA256.hash(data: Data(old.sql.utf8)).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
        #expect(try FrozenSchema.checksums()[old.name] == digest)
        try await TestSupport.withTemporaryFolder { folder in
            let path = folder.appending(path: "old.sqlite").path
            try restore(old, path)
            let (applied, tables) = try await DatabaseQueue(path: path).read { db in
                (try SubscriberSchema.migrator.appliedIdentifiers(db), try schema(db))
            }
            #expect(Set(SubscriberSchema.migrator.migrations.prefix(applied.count)) == applied)
            let today = try DatabaseQueue()
            try SubscriberSchema.migrator.migrate(today, upTo: try #require(applied.max()))
            #expect(try await today.read(schema) == tables)
        }
    }

    @Test("Each past schema has a frozen copy")
    func all() {
        #expect(FrozenSchema.all(of: "subscribers").count == SubscriberSchema.migrator.migrations.count)
    }

    @Test("An older database is upgraded with all its data", arguments: FrozenSchema.all(of: "subscribers"))
    func upgrade(_ old: FrozenSchema) async throws {
        try await TestSupport.withTemporaryFolder { folder in
            let path = folder.appending(path: "subscribers.sqlite").path
            try restore(old, path)
            let database = try SubscriberDatabase(path: path)
            let ann = try #require(try await database.find("ann@example.com"))
            #expect(ann.id == 1 && ann.state == .active && ann.message == "Hello")
            #expect(ann.passwordHash == "$1$salt$hash")
            #expect(ann.editions.map(\.rawValue) == ["com.example.title.2026-11"])
            #expect(ann.categories.map(\.value) == ["a"])
            let bob = try #require(try await database.find(id: 2))
            #expect(bob.periods == [Period(start: Date(timeIntervalSince1970: 1_700_000_000), end: nil)])
            #expect(bob.migrated != nil)
            #expect(bob.origin?.backend == "directory")
            #expect(try await database.passwordVersion(of: 1) == 3)
            #expect(try await database.passwordVersion(of: 2) == 0)
            // The number of a deleted subscriber is not reused.
            #expect(try await database.register("new@example.com", hash: "$1$salt$other") == 4)
            try await database.health()
        }
    }

    @Test("A database changed by a newer release is rejected")
    func newer() async throws {
        try await TestSupport.withTemporaryFolder { folder in
            let path = folder.appending(path: "subscribers.sqlite").path
            _ = try SubscriberDatabase(path: path)
            try await DatabaseQueue(path: path).write { db in
                try db.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('99 of the future')")
            }
            let error = #expect(throws: SubscriberDatabaseError.self) { try SubscriberDatabase(path: path) }
            #expect(error?.isNewerSchema == true)
        }
    }

    @Test("Writes to a deleted database file fail, and so does the health check")
    func deleted() async throws {
        for suffix in ["", "-wal", "-shm"] {
            try await TestSupport.withTemporaryFolder { folder in
                let path = folder.appending(path: "subscribers.sqlite").path
                let database = try SubscriberDatabase(path: path)
                #expect(try await database.register("ann@example.com", hash: "$1$salt$hash") == 1)
                try FileManager.default.removeItem(atPath: path + suffix)
                await #expect(throws: (any Error).self, "\(suffix)") {
                    try await database.register("bob@example.com", hash: "$1$salt$hash")
                }
                await #expect(throws: (any Error).self) {
                    try await database.setState(.suspended, of: "ann@example.com")
                }
                await #expect(throws: (any Error).self) {
                    try await database.setChosenPassword(hash: "$1$salt$new", of: 1, version: 0)
                }
                await #expect(throws: (any Error).self) { try await database.health() }
            }
        }
    }
}
