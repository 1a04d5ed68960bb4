import Testing

@testable import Backends
@testable import Benchmarks
@testable import Resilience

@Suite("Surge of requests", .timeLimit(.minutes(10)))
struct HerdTests {
    @Test(
        "The backend's limit is never exceeded; recent readers are served from the cache, others served or rejected"
    )
    func herd() async throws {
        var settings = ProtectionSettings()
        settings.concurrency.waiting = 50
        settings.cache?.memory = 600 * BackendResultSize.entry
        let herd = Herd(
            readers: 1_000, requests: 5_000, duration: .milliseconds(500), latency: .milliseconds(20),
            failureThreshold: 20,
            settings: settings)
        let report = try await herd.run()
        #expect(report.peakConcurrency <= 16 && report.failureCount == 0)
        #expect(report.requests == 5_000 && report.served + report.rejected == 5_000)
        #expect(report.queried > 0 && report.rejected > 0)
        #expect(report.entries <= 600 && report.bytes <= 600 * BackendResultSize.entry)
    }

    @Test("Recent readers are served from the cache without a query")
    func warm() async throws {
        var settings = ProtectionSettings()
        settings.cache?.freshness = 3_600
        settings.cache?.revalidateAfter = 3_600
        settings.deadline = 60
        settings.concurrency.queueTimeout = 60
        let report = try await Herd(
            readers: 400, requests: 4_000, duration: .milliseconds(100), latency: .milliseconds(5),
            failureThreshold: 20,
            settings: settings
        ).run()
        #expect(report.warmServed == 2_000 && report.warmRejected == 0)
        // A lookup just before the result was cached may query the backend once more.
        #expect(report.queried >= 200 && report.queried <= 400 && report.peakConcurrency <= 16)
    }
}
