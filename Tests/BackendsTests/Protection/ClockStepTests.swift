import Gatefold
import TestSupport
import Testing

@testable import Backends
@testable import Resilience

@Suite("Protected backend when the wall clock steps")
struct ClockStepTests {
    private static let steps: [Double] = [100 * 86_400, -100 * 86_400]

    @Test("Keeps a last known good result for its full lifetime and no longer", arguments: steps)
    func lastKnownGood(step: Double) async throws {
        let fixture = ProtectedBackendFixture()
        #expect(try await fixture.subscription().state == .active)
        fixture.probe.follow(ProbeBackend.down)
        fixture.time.clock.step(by: step)
        fixture.time.advance(by: 61)
        #expect(try await fixture.subscription().state == .active)
        fixture.time.advance(by: 86_400)
        await #expect(throws: (any Error).self) { try await fixture.subscription() }
    }

    @Test("Queries the backend again when the result is no longer fresh, and not before", arguments: steps)
    func freshness(step: Double) async throws {
        let fixture = ProtectedBackendFixture()
        _ = try await fixture.subscription()
        fixture.time.clock.step(by: step)
        _ = try await fixture.subscription()
        #expect(fixture.probe.queried.count == 1)
        fixture.time.advance(by: 61)
        _ = try await fixture.subscription()
        #expect(fixture.probe.queried.count == 2)
    }

    @Test("The breaker stays open for its full duration", arguments: steps)
    func breaker(step: Double) async throws {
        let fixture = ProtectedBackendFixture(ProbeBackend(ProbeBackend.down))
        for number in 0..<5 { _ = try? await fixture.authenticate("\(number)") }
        #expect(fixture.status.breaker == .open)
        fixture.time.clock.step(by: step)
        #expect(fixture.status.breaker == .open)
        fixture.time.advance(by: 13)
        #expect(fixture.status.breaker == .halfOpen)
    }
}
