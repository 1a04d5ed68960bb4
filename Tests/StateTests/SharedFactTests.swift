import Foundation
import GRDB
import Gatefold
import Primitives
import Synchronization
import TestSupport
import Testing

@testable import State

@Suite("Shared facts", .stateServers) struct SharedFactTests {
    private static let (here, there): ([UInt8], [UInt8]) = ([1], [2])

    private func fact(
        _ subject: UInt8, _ detail: [UInt8] = [9], kind: SharedFact.Kind = .denial, value: UInt8 = 3,
        at timestamp: Date = noon
    ) -> SharedFact {
        SharedFact(
            id: SharedFact.ID(kind: kind, backend: "house", subject: [subject], detail: detail), value: [value],
            timestamp: timestamp, end: timestamp + 3_600)
    }

    /// - Parameter clock: The clock of the machine that runs both processes.
    private func withStores(
        _ clock: ManualClock = ManualClock(noon + 60),
        _ body: (any SharedFactStore & StateRetention, any SharedFactStore & StateRetention) async throws -> Void
    ) async throws {
        for kind in TestedStore<any SharedFactStore & StateRetention>.durable({ $0 }) {
            try await kind.with(2, clock: clock.wall) { try await body($0[0], $0[1]) }
        }
    }

    private func latestFacts(_ store: any SharedFactStore) async throws -> [SharedFact] {
        try await store.sharedFacts(after: .start, excluding: [0], limit: 9).facts
    }

    @Test("Other processes receive facts in order and in pages, and the recording process does not")
    func followed() async throws {
        try await withStores { one, other async throws in
            try await one.record((1...5).map { fact($0) }, origin: Self.here)
            let first = try await other.sharedFacts(after: .start, excluding: Self.there, limit: 3)
            #expect(first.facts == (1...3).map { fact($0) })
            #expect(!first.isLast)
            let second = try await other.sharedFacts(after: first.end, excluding: Self.there, limit: 3)
            #expect(second.facts == (4...5).map { fact($0) })
            #expect(second.isLast)
            #expect(try await one.sharedFacts(after: .start, excluding: Self.here, limit: 9).facts.isEmpty)
            // Of several facts with one ID, only the latest is retained, and it is followed again.
            try await one.record([fact(2, value: 0)], origin: Self.here)
            let changed = try await other.sharedFacts(after: second.end, excluding: Self.there, limit: 9)
            #expect(changed.facts == [fact(2, value: 0)])
            #expect(try await other.sharedFacts(after: .start, excluding: Self.there, limit: 9).facts.count == 5)
        }
    }

    @Test("The fact with the latest timestamp wins, in any order of writes by two processes")
    func writtenLate() async throws {
        try await withStores { one, other async throws in
            try await one.record([fact(1, value: 1, at: noon + 1)], origin: Self.here)
            try await other.record([fact(1, value: 2)], origin: Self.there)
            let latestFacts = try await other.sharedFacts(after: .start, excluding: Self.there, limit: 9).facts
            #expect(latestFacts == [fact(1, value: 1, at: noon + 1)])
        }
    }

    @Test(
        "A fact learnt after the clock was set back wins, whichever process learnt it",
        arguments: [here, there], [10, 1_800, 31_536_000])
    func clockSetBack(origin: [UInt8], step: TimeInterval) async throws {
        let clock = ManualClock()
        try await withStores(clock) { one, other async throws in
            try await one.record([fact(1, value: 1, at: clock.now)], origin: Self.here)
            clock.step(by: -step)
            clock.advance(by: 2)
            let later = fact(1, value: 2, at: clock.now)
            try await other.record([later], origin: origin)
            #expect(try await latestFacts(other).map(\.value) == [later.value])
        }
    }

    @Test("A process's own last write wins, even after a small step back of the clock")
    func ownOrder() async throws {
        try await withStores { one, _ async throws in
            try await one.record([fact(1, value: 1, at: noon + 1)], origin: Self.here)
            try await one.record([fact(1, value: 2)], origin: Self.here)
            #expect(try await latestFacts(one) == [fact(1, value: 2)])
        }
    }

    @Test("Facts are retained for their lifetime, even if the clock was behind when they were learnt")
    func clockBehind() async throws {
        let clock = ManualClock()
        try await withStores(clock) { one, _ async throws in
            _ = try await one.maintain()
            clock.step(by: -86_400)
            let learnt = fact(1, at: clock.now)
            try await one.record([learnt], origin: Self.here)
            clock.step(by: 86_400)
            clock.advance(by: 3_500)
            try await one.discardSharedFacts(endedBefore: clock.now, limit: 9)
            #expect(try await latestFacts(one).map(\.id) == [learnt.id])
            clock.advance(by: 200)
            try await one.discardSharedFacts(endedBefore: clock.now, limit: 9)
            #expect(try await latestFacts(one).isEmpty)
        }
    }

    @Test("A denial of all editions replaces the other denials of that subject only")
    func everything() async throws {
        try await withStores { one, _ async throws in
            try await one.record([fact(1, [1]), fact(1, [2]), fact(2, [1]), fact(1, [])], origin: Self.here)
            let all = try await one.sharedFacts(after: .start, excluding: Self.there, limit: 9).facts
            #expect(all.map(\.id.subject) == [[2], [1]])
            #expect(all.last?.id.detail == [])
        }
    }

    @Test("Two processes that write many denied editions lose none")
    func addedUp() async throws {
        func many(_ bits: UInt8, at timestamp: Date) -> SharedFact {
            SharedFact(
                id: SharedFact.ID(kind: .denial, backend: "", subject: [1]),
                value: [1] + [bits] + [UInt8](repeating: 0, count: 2_047), timestamp: timestamp, end: timestamp + 60)
        }
        try await withStores { one, other async throws in
            try await one.record([many(0b01, at: noon + 1)], origin: Self.here)
            try await other.record([many(0b10, at: noon)], origin: Self.there)
            let facts = try await latestFacts(one)
            #expect(facts.map(\.value) == [many(0b11, at: noon).value])
        }
    }

    @Test("A batch takes few statements, and has the same effect as its facts one after another")
    func batch() async throws {
        try await withTemporaryFolder { folder async throws in
            let (one, two) = (try SQLStateStore(path: folder + "/one"), try SQLStateStore(path: folder + "/two"))
            let statements = Locked(0)
            let counted = SQLStateStore(
                CountingDatabase(base: one.database, statements: statements), didFindOlderState: false,
                knownDeviceLifetime: 60, newPushTokensPerHour: 1, clock: ManualClock(noon + 60).wall)
            var random = SeededRandom(seed: 9)
            for round in 0..<20 {
                let facts = (0..<100).map { _ in
                    let isAll = UInt8.random(in: 0..<4, using: &random) == 0
                    let detail = isAll ? [] : [UInt8.random(in: 0..<9, using: &random)]
                    let timestamp = noon + Double.random(in: 0..<9, using: &random)
                    let kind: SharedFact.Kind = Bool.random(using: &random) ? .denial : .invalidation
                    return fact(
                        UInt8.random(in: 0..<30, using: &random), detail, kind: kind,
                        value: UInt8.random(in: 1..<3, using: &random), at: timestamp)
                }
                let origin = round % 2 == 0 ? Self.here : Self.there
                statements.withLock { $0 = 0 }
                try await counted.record(facts, origin: origin)
                #expect(statements.withLock(\.self) <= 10)
                for fact in facts { try await two.record([fact], origin: origin) }
                let (batched, single) = (
                    try await one.sharedFacts(after: .start, excluding: [0], limit: 9_999).facts,
                    try await two.sharedFacts(after: .start, excluding: [0], limit: 9_999).facts
                )
                #expect(batched.map(\.id) == single.map(\.id) && batched.map(\.value) == single.map(\.value))
            }
        }
    }

    @Test("Pitfall 31: an unreadable row does not block other facts")
    func unreadable() async throws {
        try await withTemporaryFolder { folder async throws in
            let path = folder + "/state.sqlite"
            let store = try SQLStateStore(path: path)
            try await store.record([fact(1), fact(2), fact(3)], origin: Self.here)
            try await DatabaseQueue(path: path).write {
                try $0.execute(sql: "UPDATE shared_fact SET kind = 'of a later version' WHERE subject = x'02'")
            }
            let page = try await store.sharedFacts(after: .start, excluding: Self.there, limit: 9)
            #expect(page.facts == [fact(1), fact(3)])
            #expect(page.unreadable == 1)
        }
    }

    @Test("Facts are discarded after their end, and the oldest ones over the limit")
    func discarded() async throws {
        let clock = ManualClock()
        try await withStores(clock) { one, _ async throws in
            try await one.record((1...2).map { fact($0, at: clock.now) }, origin: Self.here)
            clock.advance(by: 7_200)
            try await one.record((3...6).map { fact($0, at: clock.now) }, origin: Self.here)
            try await one.discardSharedFacts(endedBefore: clock.now, limit: 3)
            #expect(
                try await one.sharedFacts(after: .start, excluding: Self.there, limit: 9).facts.map(\.id.subject)
                    == [[4], [5], [6]])
        }
    }

    /// A store that fails the given number of times.
    private actor BrokenStore: SharedFactStore {
        struct SimulatedError: Error {}
        private var failures: Int
        private(set) var recorded: [SharedFact] = []
        private(set) var pruned = 0

        init(failures: Int) { self.failures = failures }

        func record(_ facts: [SharedFact], origin: [UInt8]) throws {
            failures -= 1
            if failures >= 0 { throw SimulatedError() }
            recorded += facts
        }

        func sharedFacts(after position: ChangePosition, excluding origin: [UInt8], limit: Int) throws -> SharedFactPage
        {
            SharedFactPage(facts: [], end: position, isLast: true, unreadable: 0)
        }

        func discardSharedFacts(endedBefore timestamp: Date, limit: Int) { pruned += 1 }
    }

    @Test("Facts are pruned hourly by the monotonic clock", arguments: [86_400, -86_400])
    func pruning(step: Double) async throws {
        let clock = ManualClock()
        let store = BrokenStore(failures: 0)
        let seen = Locked<[Int]>([])
        let follower = SharedFactFollower(
            store: store, writer: SharedFactWriter(store: store, origin: Self.here), clock: clock.wall,
            sleep: { pause in
                guard pause == SharedFactFollower.pruningPause else { return try await Task.sleep(for: .seconds(600)) }
                let pruned = await store.pruned
                let rounds = seen.withLock {
                    $0.append(pruned)
                    return $0.count
                }
                if rounds == 1 { clock.step(by: step) }
                if rounds == 5 { withUnsafeCurrentTask { $0?.cancel() } }
                clock.advance(by: 1_800)
                try Task.checkCancellation()
            }, apply: { _, _ in })
        let running = Task { await follower.run() }
        await until { seen.withLock(\.count) == 5 }
        running.cancel()
        await running.value
        #expect(seen.withLock(\.self) == [1, 1, 2, 2, 3])
    }

    /// A store whose deletion of old facts does not end by itself.
    private struct SlowPruning: SharedFactStore {
        let polls = Locked<Int>(0)
        let end = OneShotPromise<Void>()

        func record(_ facts: [SharedFact], origin: [UInt8]) {}
        func sharedFacts(after position: ChangePosition, excluding origin: [UInt8], limit: Int) -> SharedFactPage {
            polls.withLock { $0 += 1 }
            return SharedFactPage(facts: [], end: position, isLast: true, unreadable: 0)
        }
        func discardSharedFacts(endedBefore timestamp: Date, limit: Int) async throws { try await end.wait {} }
    }

    @Test("Reads facts while the store is slow to delete old ones", .timeLimit(.minutes(1)))
    func slowPruning() async throws {
        let store = SlowPruning()
        let follower = SharedFactFollower(
            store: store, writer: SharedFactWriter(store: store, origin: Self.here),
            sleep: { pause in
                guard pause == .seconds(1) else { return try await Task.sleep(for: .seconds(600)) }
                await Task.yield()
            }, apply: { _, _ in })
        let running = Task { await follower.run() }
        while store.polls.withLock(\.self) < 3 { await Task.yield() }
        store.end.resolve(.success(()))
        running.cancel()
        await running.value
    }

    @Test("During a store failure, the latest fact of each ID waits, up to the capacity")
    func waiting() async throws {
        let store = BrokenStore(failures: 1)
        let writer = SharedFactWriter(store: store, origin: Self.here, capacity: 3)
        writer.add(fact(1))
        writer.add(fact(2))
        await #expect(throws: BrokenStore.SimulatedError.self) { try await writer.flush() }
        writer.add(fact(2, value: 0))
        writer.add(fact(3))
        writer.add(fact(4))
        try await writer.flush()
        #expect(await store.recorded == [fact(1), fact(2, value: 0), fact(3)])
        #expect(writer.drainDroppedCount() == 1)
        #expect(writer.drainDroppedCount() == 0)
    }

    @Test("A fact reaches the other process after one round and is applied once")
    func rounds() async throws {
        try await withStores { one, other async throws in
            let known = Mutex<[(SharedFact, isNew: Bool)]>([])
            let writer = SharedFactWriter(store: one, origin: Self.here)
            let follower = SharedFactFollower(
                store: other, writer: SharedFactWriter(store: other, origin: Self.there),
                apply: { fact, isNew in known.withLock { $0.append((fact, isNew)) } })
            writer.add(fact(1))
            try await writer.flush()
            try await follower.catchUp()
            writer.add(fact(2))
            try await writer.flush()
            for _ in 0..<3 { try await follower.catchUp() }
            #expect(known.withLock { $0.map(\.0) } == [fact(1), fact(2)])
            #expect(known.withLock { $0.map(\.isNew) } == [false, true])
        }
    }

    @Test("All facts are new for a process that served requests before it reached the store")
    func withoutStore() async throws {
        try await withStores { one, other async throws in
            let known = Mutex<[Bool]>([])
            let writer = SharedFactWriter(store: one, origin: Self.here)
            let follower = SharedFactFollower(
                store: other, writer: SharedFactWriter(store: other, origin: Self.there),
                apply: { _, isNew in known.withLock { $0.append(isNew) } })
            writer.add(fact(1))
            try await writer.flush()
            follower.beginWithoutStore()
            try await follower.catchUp()
            #expect(known.withLock(\.self) == [true])
        }
    }
}
