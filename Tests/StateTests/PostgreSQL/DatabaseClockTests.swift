import Foundation
import Primitives
import TestSupport
import Testing

@testable import State

@Suite("Clock of the database server") struct DatabaseClockTests {
    private let machine = ManualClock(noon)

    @Test("Follows the server, and continues by the monotonic clock")
    func follows() {
        let clock = DatabaseClock(machine: machine.wall)
        #expect(clock.wall.now == noon)
        let start = clock.elapsed
        clock.record(noon + 300, sent: start, received: start)
        #expect(clock.wall.now == noon + 300)
        machine.advance(by: 10)
        #expect(clock.wall.now == noon + 310)
        // The civil time of this machine does not matter.
        machine.step(by: -86_400)
        #expect(clock.wall.now == noon + 310)
    }

    @Test("Takes half of the delay of a response as the delay of the reading")
    func delay() {
        let clock = DatabaseClock(machine: machine.wall)
        let start = clock.elapsed
        clock.record(noon + 5, sent: start - 2, received: start)
        #expect(clock.wall.now == noon + 6)
        // A reading that is less exact is ignored, a more exact one is not.
        clock.record(noon + 7, sent: start - 4, received: start)
        #expect(clock.wall.now == noon + 6)
        clock.record(noon + 6.5, sent: start - 0.2, received: start)
        #expect(abs(clock.wall.now.timeIntervalSince(noon + 6.6)) < 0.001)
    }

    @Test("Follows a server whose clock was set")
    func step() {
        let clock = DatabaseClock(machine: machine.wall)
        let start = clock.elapsed
        clock.record(noon, sent: start, received: start)
        clock.record(noon + 86_400, sent: start - 1, received: start)
        #expect(abs(clock.wall.now.timeIntervalSince(noon + 86_400)) <= 1)
    }
}
