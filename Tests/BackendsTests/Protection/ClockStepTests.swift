import Gatefold
import TestSupport
import Testing

@testable import Backends
@testable import Protections

@Suite("A protected backend whose machine's clock steps")
struct ClockStepTests {
    private static let steps: [Double] = [100 * 86_400, -100 * 86_400]

    @Test("keeps the last known good answer of a minute ago, and no longer than it should", arguments: steps)
    func lastKnownGood(step: Double) async throws {
        let bench = ProtectedBench()
        #expect(try await bench.subscription().state == .active)
        bench.probe.follow(ProbeBackend.down)
        bench.time.clock.step(by: step)
        bench.time.advance(by: 61)
        #expect(try await bench.subscription().state == .active)
        bench.time.advance(by: 86_400)
        await #expect(throws: (any Error).self) { try await bench.subscription() }
    }

    @Test("is asked anew when its answer is no longer fresh, and not before", arguments: steps)
    func freshness(step: Double) async throws {
        let bench = ProtectedBench()
        _ = try await bench.subscription()
        bench.time.clock.step(by: step)
        _ = try await bench.subscription()
        #expect(bench.probe.asked.count == 1)
        bench.time.advance(by: 61)
        _ = try await bench.subscription()
        #expect(bench.probe.asked.count == 2)
    }

    @Test("has an answer given again by whoever keeps it no longer than it is fresh", arguments: steps)
    func kept(step: Double) async throws {
        let bench = ProtectedBench()
        _ = try await bench.subscription()
        let known = try #require(
            bench.backend.rememberedSubscription(of: ProtectedBench.ada, inquiry: Inquiry()))
        bench.time.clock.step(by: step)
        #expect(known.standing.holds(at: bench.time.clock.now))
        bench.time.advance(by: 61)
        #expect(!known.standing.holds(at: bench.time.clock.now))
    }

    @Test("is left in peace as long as it should be after it failed", arguments: steps)
    func breaker(step: Double) async throws {
        let bench = ProtectedBench(ProbeBackend(ProbeBackend.down))
        for number in 0..<5 { _ = try? await bench.recognise("\(number)") }
        #expect(bench.status.breaker == .open)
        bench.time.clock.step(by: step)
        #expect(bench.status.breaker == .open)
        bench.time.advance(by: 13)
        #expect(bench.status.breaker == .halfOpen)
    }
}
