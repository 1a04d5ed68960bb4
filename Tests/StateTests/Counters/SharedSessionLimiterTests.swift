import Foundation
import Gatefold
import Primitives
import State
import TestSupport
import Testing

@Suite("Session limit of several nodes", .stateServers) struct SharedSessionLimiterTests {
    private typealias Kind = TestedStore<any SharedCounterStore>

    private static let key = PseudonymKey(Secret([UInt8](repeating: 7, count: 32)))

    private static func limiters(_ stores: [any SharedCounterStore]) -> [SessionLimiter] {
        stores.map { SessionLimiter(perHour: 10, store: $0, pseudonymKey: key) }
    }

    @Test(
        "A reader who alternates between the nodes has the limit once, and other readers have their own",
        arguments: Kind.durable { $0 })
    func alternating(kind: TestedStore<any SharedCounterStore>) async throws {
        let clock = ManualClock(noon)
        try await kind.with(2, clock: clock.wall) { stores in
            let limiters = Self.limiters(stores)
            for number in 0..<10 {
                #expect(await limiters[number % 2].wait(subscriber(1), at: clock.wall.elapsed) == nil)
            }
            for limiter in limiters { #expect(await limiter.wait(subscriber(1), at: clock.wall.elapsed) == 360) }
            #expect(await limiters[0].wait(subscriber(2), at: clock.wall.elapsed) == nil)
            clock.advance(by: 359)
            for limiter in limiters { #expect(await limiter.wait(subscriber(1), at: clock.wall.elapsed) == 1) }
            clock.advance(by: 1)
            #expect(await limiters[1].wait(subscriber(1), at: clock.wall.elapsed) == nil)
            #expect(await limiters[0].wait(subscriber(1), at: clock.wall.elapsed) == 360)
        }
    }

    @Test(
        "Pitfall 26: a hundred sign-ins at three nodes at the same time, and never more than ten open a session",
        arguments: Kind.durable { $0 })
    func race(kind: TestedStore<any SharedCounterStore>) async throws {
        let clock = ManualClock(noon)
        try await kind.with(3, clock: clock.wall) { stores in
            let limiters = Self.limiters(stores)
            let opened = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<100 {
                    group.addTask { await limiters[number % 3].wait(subscriber(1), at: clock.wall.elapsed) == nil }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(opened == 10)
        }
    }

    @Test("A node that knows that the limit is reached asks no more")
    func noQuery() async throws {
        let clock = ManualClock(noon)
        let store = CountedCounterStore(level: .init(debt: 3600, hadRoom: false))
        let limiter = SessionLimiter(perHour: 10, store: store, pseudonymKey: Self.key)
        for _ in 0..<5 { #expect(await limiter.wait(subscriber(1), at: clock.wall.elapsed) == 360) }
        #expect(store.charges.withLock { $0 } == 1)
    }

    @Test("While the state is away, each node counts for itself, and refuses nobody else")
    func outage() async throws {
        let clock = ManualClock(noon)
        let limiter = SessionLimiter(perHour: 10, store: CountedCounterStore(level: nil), pseudonymKey: Self.key)
        for _ in 0..<10 { #expect(await limiter.wait(subscriber(1), at: clock.wall.elapsed) == nil) }
        #expect(await limiter.wait(subscriber(1), at: clock.wall.elapsed) == 360)
        #expect(await limiter.wait(subscriber(2), at: clock.wall.elapsed) == nil)
        clock.advance(by: 360)
        #expect(await limiter.wait(subscriber(1), at: clock.wall.elapsed) == nil)
    }
}

/// A store whose counters all have one level, or that is unavailable.
private struct CountedCounterStore: SharedCounterStore {
    struct Unavailable: Error {}

    let level: SharedCounterLevel?
    let charges = Locked(0)

    func charge(_ counters: [SharedCounter], window: TimeInterval) async throws -> [SharedCounterLevel] {
        charges.withLock { $0 += 1 }
        guard let level else { throw Unavailable() }
        return counters.map { _ in level }
    }

    func levels(of counters: [SharedCounter], window: TimeInterval) async throws -> [SharedCounterLevel] {
        throw Unavailable()
    }

    func emptyCounters(_ keys: [[UInt8]]) async throws { throw Unavailable() }
}
