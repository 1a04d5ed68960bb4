import Foundation
import GRDB
import Gatefold
import Primitives
import SQLAccess
import Synchronization
import TestSupport
import Testing

@testable import State

@Suite("Revocation follower", .stateServers) struct RevocationFollowerTests {
    private func subject(_ number: UInt8) -> SaltSubject {
        SaltSubject(subscriber: subscriber(number), session: SessionPseudonym(device(1)), issuedAt: noon)
    }

    @Test(
        "Applies a revocation that another process recorded, in its publication only",
        arguments: TestedStore<any RevocationStore & StateRetention>.durable { $0 })
    func acrossProcesses(kind: TestedStore<any RevocationStore & StateRetention>) async throws {
        try await kind.with(2) { stores in
            let (server, command) = (stores[0], stores[1])
            let known = RevocationLists()
            let lists = [known.list(for: daily), known.list(for: weekly)]
            let follower = RevocationFollower(store: server, lists: known)
            try await follower.catchUp()
            #expect(!lists[0].isRevoked(subject(1)))
            try await command.record(Revocation(publication: daily, subscriber: subscriber(1), session: nil, at: noon))
            try await follower.catchUp()
            #expect(lists[0].isRevoked(subject(1)))
            #expect(!lists[0].isRevoked(subject(2)))
            #expect(!lists[1].isRevoked(subject(1)))
        }
    }

    @Test("Each poll reads the floor before the revocations, and applies it")
    func floor() async throws {
        let floor = Mutex<Date?>(nil)
        let lists = RevocationLists()
        let list = lists.list(for: daily)
        let follower = RevocationFollower(
            store: InMemoryStateStore(), lists: lists, readFloor: { floor.withLock(\.self) })
        try await follower.catchUp()
        #expect(!list.isRevoked(subject(1)))
        floor.withLock { $0 = noon + 1 }
        try await follower.catchUp()
        #expect(list.isRevoked(subject(1)))
    }

    @Test("The loop applies new revocations, discards what the store pruned, and ends when cancelled")
    func loop() async throws {
        let clock = ManualClock()
        let store = InMemoryStateStore(clock: clock.wall)
        let lists = RevocationLists()
        let list = lists.list(for: daily)
        let rounds = Mutex(0)
        await store.record(TokenBounds(lifetime: 3600, afterExpiry: 0), of: daily)
        await store.record(Revocation(publication: daily, subscriber: subscriber(1), session: nil, at: clock.now))
        let follower = RevocationFollower(
            store: store, lists: lists,
            sleep: {
                let round = rounds.withLock { rounds in
                    rounds += 1
                    return rounds
                }
                if round == 1 {
                    clock.advance(by: 40 * 86_400)
                    await store.record(
                        Revocation(publication: daily, subscriber: subscriber(2), session: nil, at: clock.now))
                }
                // The store is pruned at the same time.
                while round > 1, !list.hasPruned(noon + 3600) { await Task.yield() }
                if round == 3 { throw CancellationError() }
            })
        await follower.run()
        #expect(rounds.withLock { $0 } == 3)
        #expect(list.isRevoked(subject(2)))
        #expect(list.count == 1)
        #expect(list.hasPruned(noon + 3600))
        #expect(await store.revocations(after: 0).map(\.revocation.subscriber) == [subscriber(2)])
    }

    @Test("Reads revocations while the store is slow to delete old ones", .timeLimit(.minutes(1)))
    func slowPruning() async throws {
        let store = SlowPruning()
        let lists = RevocationLists()
        let list = lists.list(for: daily)
        let rounds = Mutex(0)
        let follower = RevocationFollower(
            store: store, lists: lists,
            sleep: {
                let round = rounds.withLock { rounds in
                    rounds += 1
                    return rounds
                }
                if round == 1 {
                    try await store.record(
                        Revocation(publication: daily, subscriber: subscriber(1), session: nil, at: noon))
                } else {
                    store.end.resolve(.success(()))
                    throw CancellationError()
                }
            })
        await follower.run()
        #expect(list.isRevoked(subject(1)))
        #expect(store.calls == 1)
    }

    @Test("Reports a store failure and retries")
    func outage() async throws {
        let failures = Mutex(0)
        let rounds = Mutex(0)
        let follower = RevocationFollower(
            store: BrokenStore(), lists: RevocationLists(),
            sleep: {
                let round = rounds.withLock { rounds in
                    rounds += 1
                    return rounds
                }
                if round == 2 { throw CancellationError() }
            }, didFail: { _ in failures.withLock { $0 += 1 } })
        await follower.run()
        #expect(failures.withLock { $0 } == 2)
    }

    @Test("Loads 200,000 rows of different readers in pages with little memory")
    func many() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/state.sqlite"
            let store = try SQLStateStore(path: path)
            try await store.pool.write { db in
                try db.execute(
                    sql: """
                        WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 200000)
                        INSERT INTO revocation (publication, subscriber, session, before, expires)
                        SELECT 'daily', randomblob(7), randomblob(4), 1793534400.0, 1799999999.0 FROM number
                        """)
            }
            let lists = RevocationLists()
            let before = try residentBytes()
            try await RevocationFollower(store: store, lists: lists).catchUp()
            let grown = try residentBytes() - before
            #expect(lists.list(for: daily).count == 200_000)
            // At most 64 bytes each are 13 MB. The rest is for pages and for concurrent tests.
            #expect(grown < 64_000_000, "\(grown) bytes")
        }
    }

    private func residentBytes() throws -> Int {
        let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * 4096
    }
}

/// A store whose deletion of old data does not end by itself.
private struct SlowPruning: RevocationStore, StateRetention {
    final class Calls: Sendable {
        let count = Mutex(0)
    }

    let store = InMemoryStateStore()
    let end = OneShotPromise<Void>()
    private let counted = Calls()

    var calls: Int { counted.count.withLock(\.self) }

    func record(_ revocation: Revocation) async throws { await store.record(revocation) }
    func record(_ bounds: TokenBounds, of publication: PublicationID) async throws {}
    func revocations(after position: ChangePosition, limit: Int) async throws -> RevocationPage {
        await store.revocations(after: position, limit: limit)
    }
    func revocations(numbered sequences: [Int64]) async throws -> RevocationPage { RevocationPage() }
    func maintain() async throws -> [PublicationID: Date] {
        counted.count.withLock { $0 += 1 }
        try await end.wait {}
        return [:]
    }
}

/// A store that always fails.
private struct BrokenStore: RevocationStore, StateRetention {
    struct Failure: Error {}

    func record(_ revocation: Revocation) async throws { throw Failure() }
    func record(_ bounds: TokenBounds, of publication: PublicationID) async throws { throw Failure() }
    func revocations(after position: ChangePosition, limit: Int) async throws -> RevocationPage { throw Failure() }
    func revocations(numbered sequences: [Int64]) async throws -> RevocationPage { throw Failure() }
    func maintain() async throws -> [PublicationID: Date] { throw Failure() }
}
