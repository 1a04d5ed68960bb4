import Foundation
import GRDB
import Gatefold
import State
import Synchronization
import TestSupport
import Testing

@Suite("Pitfall 31: a revocation that can not be read", .serialized) struct UnreadableRevocationTests {
    private struct Bench {
        let store: SQLiteStateStore
        let lists = RevocationLists()
        let follower: RevocationFollower
        let queue: DatabaseQueue
        let found = Kept<[Set<Int64>]>([])

        init(_ path: String) throws {
            let told = found
            store = try SQLiteStateStore(path: path)
            queue = try DatabaseQueue(path: path)
            follower = RevocationFollower(
                store: store, lists: lists, didFindUnreadable: { rows in told.withLock { $0.append(rows) } })
        }

        func change(_ sql: String) async throws { try await queue.write { try $0.execute(sql: sql) } }

        func isEnded(_ number: UInt8, issuedAt moment: Date = noon) -> Bool {
            lists.list(for: daily).isRevoked(
                SaltHolder(subscriber: subscriber(number), session: SessionReference(device(9)), issuedAt: moment))
        }
    }

    /// Three sessions ended, of which the second is then changed.
    private func with(_ change: String, _ test: (Bench) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let bench = try Bench(folder + "/state.sqlite")
            for number: UInt8 in 1...3 {
                try await bench.store.record(
                    Revocation(
                        publication: daily, subscriber: subscriber(number), session: SessionReference(device(9)),
                        at: noon))
            }
            try await bench.change(change + " WHERE sequence = 2")
            try await test(bench)
        }
    }

    private static let nobodys = [
        "UPDATE revocation SET subscriber = x'00'", "UPDATE revocation SET publication = '../x'",
    ]
    private static let somebodys = [
        "UPDATE revocation SET session = x'00'", "UPDATE revocation SET before = 9e999",
        "UPDATE revocation SET before = -1.0", "UPDATE revocation SET spared_session = x'00'",
        "UPDATE revocation SET spared_session = x'00000000'",
    ]

    @Test("keeps none of the others from being applied, and is told of once", arguments: nobodys + somebodys)
    func others(change: String) async throws {
        try await with(change) { bench in
            for _ in 0..<3 { try await bench.follower.catchUp() }
            #expect(bench.isEnded(1) && bench.isEnded(3))
            #expect(bench.follower.unreadable == 1)
            #expect(bench.found.withLock { $0 } == [[2]])
            // Also of what is recorded later.
            try await bench.store.record(
                Revocation(publication: daily, subscriber: subscriber(4), session: nil, at: noon))
            try await bench.follower.catchUp()
            #expect(bench.isEnded(4))
        }
    }

    @Test("ends all sessions that its subscriber opened so far, where it says whose it is", arguments: somebodys)
    func opensNothing(change: String) async throws {
        try await with(change) { bench in
            try await bench.follower.catchUp()
            #expect(bench.isEnded(2))
            // Once: whoever signs in again is not thrown out each second.
            let later = bench.lists.list(for: daily).boundary(
                subscriber: subscriber(2), session: SessionReference(device(9)))
            try await bench.follower.catchUp()
            #expect(!bench.isEnded(2, issuedAt: later))
        }
    }

    @Test("does not keep its subscriber's sessions from being ended, which puts it right", arguments: somebodys)
    func repaired(change: String) async throws {
        try await with(change) { bench in
            try await bench.follower.catchUp()
            try await bench.store.record(
                Revocation(publication: daily, subscriber: subscriber(2), session: nil, at: noon))
            try await bench.follower.catchUp()
            #expect(bench.follower.unreadable == 0)
            #expect(bench.found.withLock { $0 } == [[2], []])
            #expect(bench.isEnded(2))
            #expect(try await bench.store.revocations(after: 0, limit: 99).unreadable.isEmpty)
        }
    }

    @Test("is no longer told of once somebody has deleted it", arguments: nobodys)
    func deleted(change: String) async throws {
        try await with(change) { bench in
            try await bench.follower.catchUp()
            try await bench.change("DELETE FROM revocation WHERE sequence = 2")
            try await bench.follower.catchUp()
            #expect(bench.follower.unreadable == 0)
        }
    }
}
