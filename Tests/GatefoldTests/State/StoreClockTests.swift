import Foundation
import TestSupport
import Testing

@testable import Gatefold

@Suite("The clock by which a store forgets")
struct StoreClockTests {
    private let day: TimeInterval = 86_400

    /// One process after another on one state.
    private struct State {
        let clock: ManualClock
        var recorded: StoreClock?
        var reader = StoreClockReader()

        init(_ clock: ManualClock) {
            self.clock = clock
        }

        mutating func read() -> StoreClock {
            let known = recorded ?? StoreClock(moment: clock.now, latest: clock.now)
            let now = reader.advance(known, by: clock.wall)
            recorded = now
            return now
        }

        mutating func restart() { reader = StoreClockReader() }
    }

    @Test("goes with the wall clock while nobody sets that")
    func steady() {
        let clock = ManualClock()
        var state = State(clock)
        for _ in 0..<100 {
            #expect(state.read() == StoreClock(moment: clock.now, latest: clock.now))
            clock.advance(by: day)
        }
    }

    @Test("does not follow a step forward, and remembers that there was one")
    func forward() {
        let clock = ManualClock()
        let begin = clock.now
        var state = State(clock)
        _ = state.read()
        clock.step(by: 365 * day)
        clock.advance(by: 3)
        #expect(state.read() == StoreClock(moment: begin + 6, latest: begin + 365 * day + 3))
        clock.step(by: -365 * day)
        clock.advance(by: 10)
        #expect(state.read() == StoreClock(moment: begin + 13, latest: begin + 365 * day + 3))
    }

    @Test("does not follow a start with a clock that is ahead")
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
            #expect(state.read().moment <= begin + 30)
            clock.step(by: -100 * day)
        }
    }

    @Test("never goes back")
    func back() {
        let clock = ManualClock()
        var state = State(clock)
        let begin = state.read().moment
        clock.step(by: -1000 * day)
        clock.advance(by: day)
        #expect(state.read().moment == begin)
    }

    @Test("catches up with a downtime in as much time of running")
    func downtime() {
        let clock = ManualClock()
        let begin = clock.now
        var state = State(clock)
        _ = state.read()
        clock.step(by: 10 * day)
        state.restart()
        #expect(state.read().moment == begin)
        for _ in 0..<9 {
            clock.advance(by: day)
            #expect(state.read().moment < clock.now)
        }
        clock.advance(by: day)
        #expect(state.read().moment == clock.now)
    }

    @Test("is never further ahead of the time than a wrong clock was in force, whatever the clock does")
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
                #expect(now.moment >= before && now.moment <= begin + 2 * passed + 1 && now.latest >= now.moment)
                before = now.moment
            }
        }
    }
}
