import BackendFixtures
import Foundation
import Gatefold
import PostgreSQL
import Primitives
import State
import TestSupport
import Testing

@Suite("Counters of all nodes", .stateServers) struct SharedCounterConformance {
    private typealias Kind = TestedStore<any SharedCounterStore>

    private static func counter(_ name: UInt8, limit: Int = 10) -> SharedCounter {
        SharedCounter(key: [name], limit: limit)
    }

    @Test(
        "A counter has room for its limit, and then for one event each part of the window",
        arguments: Kind.durable { $0 })
    func limit(kind: TestedStore<any SharedCounterStore>) async throws {
        let clock = ManualClock(noon)
        try await kind.with(2, clock: clock.wall) { stores in
            for number in 1...10 {
                let level = try await stores[number % 2].charge([Self.counter(1)], window: 900)[0]
                #expect(level.hadRoom && abs(level.debt - 90 * Double(number)) < 0.001)
            }
            #expect(try await stores[0].charge([Self.counter(1)], window: 900)[0] == .init(debt: 900, hadRoom: false))
            #expect(try await !stores[1].levels(of: [Self.counter(1)], window: 900)[0].hadRoom)
            clock.advance(by: 89)
            #expect(try await !stores[1].charge([Self.counter(1)], window: 900)[0].hadRoom)
            clock.advance(by: 1)
            #expect(try await stores[1].levels(of: [Self.counter(1)], window: 900)[0].hadRoom)
            #expect(try await stores[1].charge([Self.counter(1)], window: 900)[0].hadRoom)
            #expect(try await !stores[0].charge([Self.counter(1)], window: 900)[0].hadRoom)
        }
    }

    @Test(
        "Pitfall 26: a hundred events at three nodes at the same time never exceed the limit",
        arguments: Kind.durable { $0 })
    func race(kind: TestedStore<any SharedCounterStore>) async throws {
        try await kind.with(3) { stores in
            let counted = try await withThrowingTaskGroup(of: [SharedCounterLevel].self) { group in
                for number in 0..<100 {
                    // Each event has a counter of its own besides, in an order of its own.
                    let counters = [Self.counter(1), Self.counter(UInt8(100 + number)), Self.counter(2, limit: 7)]
                    group.addTask {
                        try await stores[number % 3].charge(counters.shuffled(), window: 3_600).sorted {
                            $0.debt > $1.debt
                        }
                    }
                }
                return try await group.reduce(0) { $0 + $1.count(where: \.hadRoom) }
            }
            #expect(counted == 100 + 10 + 7)
        }
    }

    @Test("A level includes an event that another node is counting")
    func pendingEvent() async throws {
        try await whileAnotherNodeCounts { store, count in
            let counter = Self.counter(1, limit: 1)
            #expect(try await store.levels(of: [counter], window: 900)[0].hadRoom)
            try await count {
                let level = try await store.levels(of: [counter], window: 900)[0]
                #expect(!level.hadRoom)
            }
        }
    }

    @Test("A counter that another node is counting with is not pruned")
    func pendingEventAtPruning() async throws {
        let clock = ManualClock(noon)
        try await whileAnotherNodeCounts(clock: clock.wall) { store, count in
            let counter = Self.counter(1, limit: 1)
            _ = try await store.charge([counter], window: 900)
            clock.advance(by: 7_200)
            try await count { _ = try await store.maintain() }
            #expect(try await store.levels(of: [counter], window: 900)[0].debt > 0)
        }
    }

    /// Passes a store to a test, with a function that runs a call while another node's transaction fills all counters. That
    /// transaction ends as soon as the call waits for it.
    private func whileAnotherNodeCounts(
        clock: WallClock = .system,
        _ test: (SQLStateStore, _ count: (_ call: () async throws -> Void) async throws -> Void) async throws -> Void
    ) async throws {
        let servers = try #require(StateServers.current)
        let schema = StateServers.freshSchema()
        let store = try SQLStateStore(
            postgreSQL: try servers.settings(), schema: schema, library: try LibPQ(), clock: clock)
        try await test(store) { call in
            async let other: String = servers.instance.execute(
                """
                BEGIN;
                UPDATE \(schema.name).rate_counter SET empty_at = \(clock.now.timeIntervalSince1970 + 900);
                DO $wait$ BEGIN
                    FOR attempt IN 1..1000 LOOP
                        EXIT WHEN EXISTS (
                            SELECT FROM pg_locks WHERE transactionid = pg_current_xact_id()::xid AND NOT granted);
                        PERFORM pg_sleep(0.01);
                    END LOOP;
                END $wait$;
                COMMIT;
                """, database: "state")
            try await eventually("the other node is counting") {
                try await servers.instance.execute(
                    """
                    SELECT count(*) FROM pg_locks
                    WHERE relation = '\(schema.name).rate_counter'::regclass AND mode = 'RowExclusiveLock'
                    """, database: "state") != "0"
            }
            try await call()
            _ = try await other
        }
    }

    @Test("Counts with several counters at once, each with its own limit", arguments: Kind.durable { $0 })
    func several(kind: TestedStore<any SharedCounterStore>) async throws {
        let clock = ManualClock(noon)
        try await kind.with(clock: clock.wall) { store in
            let counters = [Self.counter(2, limit: 2), Self.counter(1, limit: 1), Self.counter(3, limit: 3)]
            let rooms = [
                [true, true, true], [true, false, true], [false, false, true], [false, false, false],
            ]
            for room in rooms {
                #expect(try await store.charge(counters, window: 60).map(\.hadRoom) == room)
            }
            #expect(try await store.levels(of: counters, window: 60).map(\.hadRoom) == [false, false, false])
            try await store.emptyCounters([[1], [3]])
            #expect(try await store.levels(of: counters, window: 60).map(\.hadRoom) == [false, true, true])
            #expect(try await store.levels(of: [], window: 60).isEmpty)
            #expect(try await store.charge([], window: 60).isEmpty)
            try await store.emptyCounters([])
        }
    }

    @Test(
        "Empty counters are pruned, and others are not",
        arguments: TestedStore<any SharedCounterStore & StateRetention>.durable { $0 })
    func pruning(kind: TestedStore<any SharedCounterStore & StateRetention>) async throws {
        let clock = ManualClock(noon)
        try await kind.with(clock: clock.wall) { store in
            _ = try await store.charge([Self.counter(1, limit: 1)], window: 60)
            clock.advance(by: 30)
            _ = try await store.charge([Self.counter(2, limit: 1)], window: 60)
            clock.advance(by: 40)
            _ = try await store.maintain()
            let levels = try await store.levels(of: [Self.counter(1, limit: 1), Self.counter(2, limit: 1)], window: 60)
            #expect(levels.map(\.hadRoom) == [true, false])
            #expect(levels[0].debt == 0 && abs(levels[1].debt - 20) < 0.001)
        }
    }

    @Test("A clock that is set back locks nobody out", arguments: Kind.durable { $0 })
    func clockSetBack(kind: TestedStore<any SharedCounterStore>) async throws {
        let clock = ManualClock(noon)
        try await kind.with(clock: clock.wall) { store in
            for _ in 0..<10 { _ = try await store.charge([Self.counter(1)], window: 900) }
            clock.advance(by: -86_400)
            #expect(try await store.levels(of: [Self.counter(1)], window: 900)[0].hadRoom)
            for _ in 0..<10 { #expect(try await store.charge([Self.counter(1)], window: 900)[0].hadRoom) }
            #expect(try await !store.charge([Self.counter(1)], window: 900)[0].hadRoom)
        }
    }
}
