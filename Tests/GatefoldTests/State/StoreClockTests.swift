import Foundation
import TestSupport
import Testing

@testable import Gatefold

@Suite("Store clock")
struct StoreClockTests {
    private let day: TimeInterval = 86_400

    /// Consecutive processes on one state.
    private struct State {
        let clock: ManualClock
        var recorded: StoreClock?
        var reader = StoreClockReader()

        init(_ clock: ManualClock) {
            self.clock = clock
        }

        mutating func read() -> StoreClock {
            let known = recorded ?? StoreClock(timestamp: clock.now, latest: clock.now)
            let now = reader.advance(known, by: clock.wall)
            recorded = now
            return now
        }

        mutating func restart() { reader = StoreClockReader() }
    }

    @Test("Follows the wall clock while it is not stepped")
    func steady() {
        let clock = ManualClock()
        var state = State(clock)
        for _ in 0..<100 {
            #expect(state.read() == StoreClock(timestamp: clock.now, latest: clock.now))
            clock.advance(by: day)
        }
    }

    @Test("Ignores a step forward and records the latest time seen")
    func forward() {
        let clock = ManualClock()
        let begin = clock.now
        var state = State(clock)
        _ = state.read()
        clock.step(by: 365 * day)
        clock.advance(by: 3)
        #expect(state.read() == StoreClock(timestamp: begin + 6, latest: begin + 365 * day + 3))
        clock.step(by: -365 * day)
        clock.advance(by: 10)
        #expect(state.read() == StoreClock(timestamp: begin + 13, latest: begin + 365 * day + 3))
    }

    @Test("Ignores a clock that is ahead at the start of a process")
    func start() {
        let clock = ManualClock()
        let begin = clock.now
        var state = State(clock)
        _ = state.read()
        for _ in 0..<5 {
            clock.step(by: 100 * day)
            state.restart()
            _ = state.read()
            clock.advance(by: 3)
            #expect(state.read().timestamp <= begin + 30)
            clock.step(by: -100 * day)
        }
    }

    @Test("The store clock never moves back")
    func back() {
        let clock = ManualClock()
        var state = State(clock)
        let begin = state.read().timestamp
        clock.step(by: -1000 * day)
        clock.advance(by: day)
        #expect(state.read().timestamp == begin)
    }

    @Test("Catches up with a downtime within the same amount of running time")
    func downtime() {
        let clock = ManualClock()
        let begin = clock.now
        var state = State(clock)
        _ = state.read()
        clock.step(by: 10 * day)
        state.restart()
        #expect(state.read().timestamp == begin)
        for _ in 0..<9 {
            clock.advance(by: day)
            #expect(state.read().timestamp < clock.now)
        }
        clock.advance(by: day)
        #expect(state.read().timestamp == clock.now)
    }

    @Test("Random steps and restarts put the store clock ahead by at most the elapsed time")
    func property() {
        var random = SeededRandom(seed: 21)
        for _ in 0..<200 {
            let clock = ManualClock()
            let begin = clock.now
            var state = State(clock)
            var other = State(clock)
            var passed: TimeInterval = 0
            var before = Date.distantPast
            _ = state.read()
            for _ in 0..<50 {
                switch Int.random(in: 0..<4, using: &random) {
                case 0: clock.step(by: .random(in: -1000 * day...1000 * day, using: &random))
                case 1: state.restart()
                case 2:
                    other.recorded = state.recorded
                    state.recorded = other.read()
                default:
                    let seconds = TimeInterval.random(in: 0...10 * day, using: &random)
                    passed += seconds
                    clock.advance(by: seconds)
                }
                let now = state.read()
                #expect(
                    now.timestamp >= before && now.timestamp <= begin + 2 * passed + 1 && now.latest >= now.timestamp)
                before = now.timestamp
            }
        }
    }
}
