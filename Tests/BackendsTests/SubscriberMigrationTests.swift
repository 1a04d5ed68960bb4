import Crypto
import Foundation
import GRDB
import Gatefold
import TestSupport
import Testing

@testable import Backends

@Suite("The subscriber database of an older release") struct SubscriberMigrationTests {
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
        "is a file that never changes, made by migrations that never change",
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

    @Test("There is one for each past schema")
    func all() {
        #expect(FrozenSchema.all(of: "subscribers").count >= 6)
    }

    @Test("is brought up to date with all that it holds", arguments: FrozenSchema.all(of: "subscribers"))
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
            let version = Int(old.name.filter(\.isNumber)) ?? 0
            #expect((bob.adopted != nil) == (version >= 3))
            #expect(bob.origin?.backend == (version >= 4 ? "directory" : nil))
            #expect(try await database.passwordVersion(of: 1) == (version >= 5 ? 3 : 0))
            #expect(try await database.passwordVersion(of: 2) == (version >= 6 ? 0 : nil))
            // The number of who is gone is nobody else's.
            #expect(try await database.register("new@example.com", hash: "$1$salt$other") == 4)
            try await database.health()
        }
    }

    @Test("What a newer release has changed is refused")
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

    @Test("A file that is deleted while it is open takes no change that would not be found again, and is not healthy")
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
