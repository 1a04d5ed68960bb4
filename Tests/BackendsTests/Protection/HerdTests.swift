import Protections
import Testing

@testable import Backends
@testable import Benchmarks

@Suite("A herd", .timeLimit(.minutes(10)))
struct HerdTests {
    @Test(
        "never exceeds what the subscriber system bears; who was there lately is answered from memory, all others are answered or told to come back"
    )
    func herd() async throws {
        var settings = ProtectionSettings()
        settings.concurrency.waiting = 50
        settings.cache?.memory = 600 * AnswerSize.entry
        let herd = Herd(
            readers: 1_000, requests: 5_000, duration: .milliseconds(500), latency: .milliseconds(20), breaksAbove: 20,
            settings: settings)
        let report = try await herd.run()
        #expect(report.mostAtOnce <= 16 && report.broke == 0)
        #expect(report.requests == 5_000 && report.answered + report.sentAway == 5_000)
        #expect(report.asked > 0 && report.sentAway > 0)
        #expect(report.entries <= 600 && report.bytes <= 600 * AnswerSize.entry)
    }

    @Test("that was there lately is not sent away, and not asked about")
    func warm() async throws {
        var settings = ProtectionSettings()
        settings.cache?.freshness = 3_600
        settings.cache?.revalidateAfter = 3_600
        settings.deadline = 60
        settings.concurrency.patience = 60
        let report = try await Herd(
            readers: 400, requests: 4_000, duration: .milliseconds(100), latency: .milliseconds(5), breaksAbove: 20,
            settings: settings
        ).run()
        #expect(report.warmAnswered == 2_000 && report.warmSentAway == 0)
        // Whoever looked into the memory just before the answer came there may ask once more.
        #expect(report.asked >= 200 && report.asked <= 400 && report.mostAtOnce <= 16)
    }
}
