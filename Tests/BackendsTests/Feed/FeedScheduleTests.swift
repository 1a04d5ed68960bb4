import Foundation
import Gatefold
import Primitives
import Settings
import Synchronization
import TestSupport
import Testing

@testable import Backends
@testable import PasswordHashing

@Suite("Feed schedule") struct FeedScheduleTests {
    private func timestamp(_ text: String) throws -> Date { try #require(try? Date(text, strategy: .iso8601)) }

    @Test("An interval counts from the last success, is shorter after a failure, and starts at once initially")
    func every() throws {
        let schedule = FeedSchedule(times: .every(3600), jitter: 60, retry: 300)
        let noon = try timestamp("2026-11-01T12:00:00Z")
        #expect(schedule.next(after: nil, failure: nil, jitterShare: 0.5) == .distantPast)
        #expect(schedule.next(after: noon, failure: nil, jitterShare: 0) == noon + 3600)
        #expect(schedule.next(after: noon, failure: nil, jitterShare: 0.5) == noon + 3630)
        #expect(schedule.next(after: noon, failure: noon + 100, jitterShare: 0) == noon + 400)
        #expect(schedule.next(after: nil, failure: noon, jitterShare: 0) == noon + 300)
        let often = FeedSchedule(times: .every(1), retry: 300)
        #expect(often.next(after: nil, failure: noon, jitterShare: 0) == noon + 1)
    }

    @Test("Times of day are in UTC, and a missed fetch is made up for")
    func at() throws {
        let schedule = FeedSchedule(times: .at([2.5 * 3600, 14 * 3600]), jitter: 0, retry: 300)
        for (last, next) in [
            ("2026-11-01T00:00:00Z", "2026-11-01T02:30:00Z"), ("2026-11-01T02:30:00Z", "2026-11-01T14:00:00Z"),
            ("2026-11-01T14:00:00Z", "2026-11-02T02:30:00Z"), ("2026-12-31T23:59:59Z", "2027-01-01T02:30:00Z"),
        ] {
            #expect(schedule.next(after: try timestamp(last), failure: nil, jitterShare: 0) == (try timestamp(next)))
        }
        let before = try timestamp("2026-11-01T02:28:00Z")
        #expect(schedule.next(after: nil, failure: before, jitterShare: 0) == (try timestamp("2026-11-01T02:30:00Z")))
    }

    @Test("An invalid schedule is rejected")
    func rejected() {
        for text in [
            "{at: [\"2:30\"]}", "{at: [\"24:00\"]}", "{at: []}", "{at: [\"02:30\"], every: 1h}", "{every: 0s}",
            "{retry: x}",
            "{evry: 1h}",
        ] {
            #expect(throws: SettingsError.self, "\(text)") {
                try FeedSchedule(try YAMLSettings.read(text: text, name: "x", folder: "/"))
            }
        }
    }

    @Test("A feed last fetched while the clock was ahead is fetched at once")
    func clockSetBack() async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            try harness.write("id,email,password,state,editions\n1,a@b,x,active,\n")
            harness.clock.advance(by: 100 * 86_400)
            let opened = try harness.open()
            await opened.fetch()
            harness.clock.step(by: -100 * 86_400)
            let (waits, waiting) = AsyncStream.makeStream(of: TimeInterval.self)
            let refresher = FeedRefresher(opened.update) { seconds in
                waiting.yield(seconds)
                try await Task.sleep(for: .seconds(600))
            }
            for await _ in waits { break }
            #expect(opened.store.status.succeededAt == harness.clock.now)
            withExtendedLifetime(refresher) {}
        }
    }

    @Test("The refresher fetches on schedule and stops with its backend")
    func refresher() async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            try harness.write("id,email,password,state,editions\n1,a@b,x,active,\n")
            let (waits, waiting) = AsyncStream.makeStream(of: TimeInterval.self)
            let (ends, ending) = AsyncStream.makeStream(of: Void.self)
            let services = BackendServices(
                clock: harness.clock.wall, random: RandomSource { [UInt8](repeating: 0, count: $0) },
                passwords: PasswordVerifier(hasher: try PasswordHasher(cost: 1), concurrency: 1),
                pseudonymKey: PseudonymKey(Secret(Array("a secret for pseudonyms".utf8))))
            var backend: FeedBackend? = try harness.kind(FeedHarness.settings + "\nschedule: {every: 90s}").open(
                services
            ) {
                update in
                FeedRefresher(update) { seconds in
                    waiting.yield(seconds)
                    if seconds < 60 {
                        // The last wait, which ends only with the backend.
                        await withTaskCancellationHandler {
                            for await _ in AsyncStream<Never>.makeStream().stream {}
                        } onCancel: {
                            ending.finish()
                        }
                        throw CancellationError()
                    }
                    harness.clock.advance(by: seconds)
                }
            }
            var seen: [TimeInterval] = []
            for await wait in waits {
                seen.append(wait)
                if seen.count == 2 { break }
            }
            // At once, then after 90 seconds, which are divided into shorter waits.
            #expect(seen == [60, 30])
            #expect(backend?.store.status.outcome == .replaced)
            backend = nil
            for await _ in ends {}
        }
    }
}
