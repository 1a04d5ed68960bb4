import Foundation
import Gatefold
import State
import TestSupport
import Testing

@Suite("Paces of all nodes", .stateServers) struct SharedPaceConformance {
    private static let all = TestedStore<any SharedPaceStore>.durable { $0 }
    private static let slots: [[UInt8]] = [[1], [2], [3]]

    @Test("Admits a number of events within every window, and one within each pause", arguments: all)
    func pace(kind: TestedStore<any SharedPaceStore>) async throws {
        let clock = ManualClock(noon)
        try await kind.with(2, clock: clock.wall) { stores async throws in
            func wait(_ number: Int) async throws -> Double? {
                try await stores[number % 2].count(in: Self.slots, window: 3600, pause: 60)?.rounded()
            }
            for number in 0..<3 {
                #expect(try await wait(number) == nil)
                #expect(try await wait(number + 1) == (number < 2 ? 60 : 3480))
                clock.advance(by: 60)
            }
            clock.advance(by: 3410)
            #expect(try await wait(0) == 10)
            // What was not admitted has changed nothing.
            clock.advance(by: 10)
            #expect(try await wait(1) == nil)
            #expect(try await wait(0) == 60)
            #expect(try await stores[0].count(in: [[4]], window: 3600, pause: 60) == nil)
        }
    }

    @Test("Pitfall 26: of many events at three nodes at the same time, one is admitted", arguments: all)
    func race(kind: TestedStore<any SharedPaceStore>) async throws {
        try await kind.with(3) { stores async throws in
            let admitted = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<30 {
                    group.addTask {
                        try await stores[number % 3].count(in: Self.slots, window: 3600, pause: 60) == nil
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(admitted == 1)
        }
    }

    @Test("An event that was counted before the clock was set back counts no more", arguments: all)
    func clockSetBack(kind: TestedStore<any SharedPaceStore>) async throws {
        let clock = ManualClock(noon + 86_400)
        try await kind.with(clock: clock.wall) { store async throws in
            #expect(try await store.count(in: Self.slots, window: 3600, pause: 60) == nil)
            clock.step(by: -86_400)
            #expect(try await store.count(in: Self.slots, window: 3600, pause: 60) == nil)
            #expect(try await store.count(in: Self.slots, window: 3600, pause: 60) != nil)
        }
    }
}
