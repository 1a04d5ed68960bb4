import TestSupport
import Testing

@testable import Conformance

@Suite("Rate limit of a check")
struct RateLimiterTests {
    @Test("Requests are evenly spaced, and idle time is not made up for")
    func turns() {
        var limiter = RateLimiter(perSecond: 4)
        #expect([0.0, 0, 0].map { limiter.turn(at: $0) } == [0, 0.25, 0.5])
        #expect(limiter.turn(at: 10) == 0)
        #expect(limiter.turn(at: 10) == 0.25)
        var free = RateLimiter(perSecond: .infinity)
        #expect((0..<100).allSatisfy { _ in free.turn(at: 1) == 0 })
    }

    @Test("A check obeys the rate limit")
    func requests() async throws {
        let waits = Waits()
        try await FakePublisherServer().serve { port in
            let prober = Prober(ProbeTransport(), requestsPerSecond: 0.001) { await waits.add($0) }
            let endpoint = Endpoint(root: try #require(Address("http://127.0.0.1:\(port)/test")))
            for _ in 0..<3 { _ = try await prober.send(Probe(.missingToken, .verifySubscription, [], at: endpoint)) }
        }
        let seconds = await waits.seconds
        #expect(seconds.count == 2 && seconds[0] > 900 && seconds[1] > seconds[0] + 900)
    }

    @Test("A check ends when the server no longer responds")
    func silence() async throws {
        let prober = Prober(ProbeTransport(), requestsPerSecond: .infinity)
        let endpoint = Endpoint(root: try #require(Address("http://127.0.0.1:\(try FreePort.find())/test")))
        let probe = Probe(.missingToken, .verifySubscription, [], at: endpoint)
        for _ in 0..<4 { #expect(try await prober.send(probe).summary == "the connection was refused") }
        await #expect(throws: CheckRun.CheckFailure.self) { try await prober.send(probe) }
    }

    private actor Waits {
        var seconds: [Double] = []
        func add(_ wait: Double) { seconds.append(wait) }
    }
}
