import Foundation
import GRDB
import Gatefold
import Testing

@testable import State

@Suite("The state of an older release", .serialized) struct MigrationTests {
    @Test("is brought up to date with what it holds")
    func upgrade() async throws {
        try await withTemporaryFolder { folder async throws in
            let path = folder + "/state.sqlite"
            do {
                let store = try SQLiteStateStore(path: path)
                try await store.rememberAcquaintance([1], at: noon)
            }
            let queue = try DatabaseQueue(path: path)
            try await queue.write { db in
                for table in [
                    "receipt", "store_transaction", "purchase", "claim", "owner_link", "store_event", "delivery",
                    "push_token", "push_campaign",
                ] {
                    try db.execute(sql: "DROP TABLE \(table)")
                }
                try db.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = '2 purchases'")
            }
            try queue.close()
            let store = try SQLiteStateStore(path: path)
            #expect(try await store.isAcquainted([1]))
            try await store.claim(.sample(), by: buyer(1))
            #expect(try await store.ids(of: buyer(1)) == ["1"])
        }
    }

    /// A state file as the release before accounts left it.
    private func former(_ path: String) throws {
        let queue = try DatabaseQueue(path: path)
        try StateSchema.migrator.migrate(queue, upTo: "2 purchases")
        try queue.write { db in
            for number: UInt8 in 1...2 {
                try db.execute(
                    sql: "INSERT INTO revocation (publication, subscriber, session, before) VALUES (?, ?, ?, ?)",
                    arguments: [
                        "daily", Data(subscriber(number).bytes), Data(), noon.timeIntervalSince1970 + Double(number),
                    ])
            }
            try db.execute(sql: "DELETE FROM revocation WHERE sequence = 2")
            try db.execute(
                sql: "INSERT INTO device VALUES ('daily', ?, ?, ?, ?)",
                arguments: [
                    Data(subscriber(1).bytes), Data(device(1).bytes), noon.timeIntervalSince1970,
                    noon.timeIntervalSince1970,
                ])
        }
        try queue.close()
    }

    @Test("gets accounts, item numbers and spared sessions, and keeps what was revoked in its order")
    func accounts() async throws {
        try await withTemporaryFolder { folder async throws in
            let path = folder + "/state.sqlite"
            try former(path)
            let store = try SQLiteStateStore(path: path)
            let kept = Revocation(publication: daily, subscriber: subscriber(1), session: nil, before: noon + 1)
            #expect(try await store.revocations(after: 0) == [RevocationRecord(sequence: 1, revocation: kept)])
            #expect(try await store.devices(of: subscriber(1), in: daily).count == 1)
            let spared = SparedSession(session: SessionReference(bytes: [1, 2, 3, 4])!, issuedAt: noon + 5)
            let next = Revocation(
                publication: daily, subscriber: subscriber(1), session: nil, before: noon + 10, spared: spared)
            try await store.record(next)
            #expect(try await store.revocations(after: 1) == [RevocationRecord(sequence: 3, revocation: next)])
            #expect(try await store.open(buyer(1)).number == 1)
            #expect(try await store.itemNumbers(of: ["a"], in: daily) == ["a": SoldItem.firstAssigned])
            // Opened again nothing is done twice.
            let again = try SQLiteStateStore(path: path)
            #expect(try await again.itemNumbers(of: ["b"], in: daily) == ["b": SoldItem.firstAssigned + 1])
        }
    }

    @Test("A copy made while it was served, brought back, is the state of that moment")
    func backup() async throws {
        try await withTemporaryFolder { folder async throws in
            let path = folder + "/state.sqlite"
            try former(path)
            let store = try SQLiteStateStore(path: path)
            let account = try await store.open(buyer(1))
            _ = try await store.itemNumbers(of: ["a"], in: daily)
            let copy = folder + "/copy.sqlite"
            try await store.pool.writeWithoutTransaction { db in
                try db.execute(sql: "VACUUM INTO ?", arguments: [copy])
            }
            try await store.open(buyer(2))
            let restored = try SQLiteStateStore(path: copy)
            #expect(try await restored.accounts(in: daily, after: 0, limit: 9) == [account])
            #expect(try await restored.itemNumbers(of: ["b"], in: daily) == ["b": SoldItem.firstAssigned + 1])
            #expect(try await restored.revocations(after: 0).count == 1)
        }
    }
}
