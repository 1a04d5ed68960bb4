import Foundation
import Gatefold
import PushFixtures
import TestSupport
import Testing

@testable import Push

@Suite("Campaign runner", .timeLimit(.minutes(10))) struct CampaignRunnerTests {
    private let time = ManualTime()
    private let store = InMemoryPushTokens()

    private func campaign(_ name: String = "news") throws -> PushCampaign {
        PushCampaign(
            name: name, publication: try PushFixture.publication, app: PushFixture.app, environment: .production,
            edition: nil, begun: time.clock.now)
    }

    private func runner(
        _ maxConcurrent: Int = 10, perSecond: Int = 100_000, forgetsUnknownTokens: Bool = false,
        _ send: @escaping @Sendable (PushToken) async throws -> PushOutcome
    ) -> PushCampaignRunner {
        let quick: @Sendable (TimeInterval) async throws -> Void = { [time] _ in time.clock.advance(by: 0.001) }
        return PushCampaignRunner(
            store: store, limits: PushLimits(maxConcurrent: maxConcurrent, perSecond: perSecond),
            forgetsUnknownTokens: forgetsUnknownTokens,
            clock: time.clock.wall, sleep: perSecond == 100_000 ? quick : time.sleep, send: send)
    }

    private var savedCampaign: PushCampaign? {
        get async throws { await store.campaigns(in: try PushFixture.publication, unfinished: false, limit: 1).first }
    }

    @Test("Starts no more notifications per second than allowed")
    func rate() async throws {
        await store.fill(PushFixture.app, 25, at: time.clock.now)
        let begun = Locked(0)
        let runner = runner(perSecond: 10) { _ in
            begun.withLock { $0 += 1 }
            return .sent
        }
        let campaign = try campaign()
        let sending = Task { try await runner.run(campaign) }
        for number in 1...24 {
            await until { begun.withLock { $0 } == number && time.sleeping == 1 }
            time.advance(by: 0.1001)
        }
        #expect(try await sending.value.sent == 25)
    }

    @Test("Stays within the repeat limit of the saved position, even after a crash")
    func distance() async throws {
        await store.fill(PushFixture.app, 3_000, at: time.clock.now)
        let limits = PushLimits(maxConcurrent: 10, perSecond: 1)
        #expect(limits.maxRepeatedSends == 100)
        let furthest = Locked<Int64>(0)
        let runner = runner { [store] token in
            let place = Int64(token.bytes.suffix(4).reduce(0) { $0 << 8 | Int($1) })
            // Every hundredth notification takes longer.
            if place.isMultiple(of: 100) { for _ in 0..<200 { await Task.yield() } }
            let savedCampaign =
                await store.campaigns(in: try PushFixture.publication, unfinished: false, limit: 1).first?.position ?? 0
            furthest.withLock { $0 = max($0, place - savedCampaign) }
            return .sent
        }
        #expect(try await runner.run(campaign()).sent == 3_000)
        #expect(furthest.withLock { $0 } <= 100)
        #expect(await store.saveCount >= 30)
    }

    @Test("Stops cleanly on cancellation and resumes without duplicates")
    func cancelled() async throws {
        await store.fill(PushFixture.app, 400, at: time.clock.now)
        let reported = Locked<[PushToken: Int]>([:])
        let latch = ManualLatch()
        let first = runner { token in
            if reported.withLock({ $0.count }) >= 137 { await latch.pass() }
            reported.withLock { $0[token, default: 0] += 1 }
            return .sent
        }
        let campaign = try campaign()
        let sending = Task { try await first.run(campaign) }
        await until { latch.waiting == 10 }
        sending.cancel()
        latch.open()
        let stopped = try await sending.value
        #expect(stopped.finished == nil)
        #expect(stopped.sent == reported.withLock { $0.count })
        #expect(try await savedCampaign == stopped)

        let second = runner { token in
            reported.withLock { $0[token, default: 0] += 1 }
            return .sent
        }
        let finished = try await second.run(campaign)
        #expect(finished.sent == 400)
        #expect(finished.finished != nil)
        #expect(reported.withLock { $0.count == 400 && $0.values.allSatisfy { $0 == 1 } })
        #expect(try await second.run(campaign) == finished, "the same name identifies the same campaign, started once")
        #expect(reported.withLock { $0.values.reduce(0, +) } == 400)
    }

    @Test("Includes devices that register during the campaign")
    func late() async throws {
        await store.fill(PushFixture.app, 10, at: time.clock.now)
        let runner = runner { [store, time] token in
            let late = PushToken(app: PushFixture.app, bytes: [1], environment: .production)
            await store.register(late, at: time.clock.now)
            return .sent
        }
        #expect(try await runner.run(campaign()).sent == 11)
    }

    @Test("Stops if APNs rejects the campaign, and resumes from the last sent token with corrected settings")
    func rejected() async throws {
        await store.fill(PushFixture.app, 30, at: time.clock.now)
        let stop = PushCampaignError.rejected(APNsReason(status: 403, text: "InvalidProviderToken"))
        let requestedDelay = Locked(0)
        await #expect(throws: stop) {
            try await runner(2) { _ in
                if requestedDelay.withLock({ count -> Int in
                    count += 1
                    return count
                }) > 5 {
                    throw stop
                }
                return .sent
            }.run(campaign())
        }
        let place = try #require(try await savedCampaign)
        #expect(place.sent <= 5 && place.position == Int64(place.sent))
        #expect(try await runner { _ in .sent }.run(campaign()).sent == 30)
        #expect(stop.description.contains("403 InvalidProviderToken"))
    }

    @Test("Stops before it deletes tokens that are unknown only because of the settings")
    func unknownTokens() async throws {
        await store.fill(PushFixture.app, 200, at: time.clock.now)
        let stop = try await #require(throws: PushCampaignError.self) {
            try await runner { _ in .badToken }.run(campaign())
        }
        guard case .unknownTokens(50, let stopped) = stop else { throw stop }
        #expect(stopped.name == "news")
        #expect(await store.countPushTokens(of: PushFixture.app, in: .production, after: 0) == 200)
        #expect(try await savedCampaign?.position == 0, "all tokens are notified again")

        let once = Locked(0)
        let sent = try await runner { _ in
            once.withLock {
                $0 += 1
                return $0 <= 45 ? .badToken : .sent
            }
        }.run(campaign())
        #expect((sent.sent, sent.gone) == (155, 45))
        #expect(await store.countPushTokens(of: PushFixture.app, in: .production, after: 0) == 155)
    }

    @Test("Reports an outage while a few unknown tokens are undecided and APNs accepts nothing else")
    func reportWarning() async throws {
        await store.fill(PushFixture.app, 400, at: time.clock.now)
        let busy = PushOutcome.notAccepted(APNsReason(status: 429, text: "TooManyRequests"))
        for unknownTokens in [1, 49] {
            await #expect(throws: PushCampaignError.unavailable("it responds with 429 TooManyRequests")) {
                try await runner { ($0.bytes.last ?? 0) <= unknownTokens ? .badToken : busy }.run(campaign())
            }
            #expect(try await savedCampaign?.position == 0)
        }
        #expect(await store.countPushTokens(of: PushFixture.app, in: .production, after: 0) == 400)
    }

    @Test("Skips and deletes fabricated tokens if an operator confirms the settings")
    func madeUp() async throws {
        await store.fill(PushFixture.app, 200, at: time.clock.now)
        let isReal: @Sendable (PushToken) -> Bool = { ($0.bytes.last ?? 0) > 120 }
        let stop = await #expect(throws: PushCampaignError.self) {
            try await runner { isReal($0) ? .sent : .badToken }.run(campaign())
        }
        guard case .unknownTokens(50, _) = stop else {
            Issue.record("\(String(describing: stop))")
            return
        }
        let sent = try await runner(forgetsUnknownTokens: true) { isReal($0) ? .sent : .badToken }.run(campaign())
        #expect((sent.sent, sent.gone) == (80, 120))
        #expect(await store.countPushTokens(of: PushFixture.app, in: .production, after: 0) == 80)
    }

    @Test(
        "Treats a service that accepts nothing as an outage, and a single failing token as a failure",
        arguments: [429, 500])
    func outage(status: Int) async throws {
        await store.fill(PushFixture.app, 60, at: time.clock.now)
        let trouble = PushOutcome.notAccepted(APNsReason(status: status, text: nil))
        await #expect(throws: PushCampaignError.unavailable("it responds with \(status)")) {
            try await runner { _ in trouble }.run(campaign())
        }
        let place = try #require(try await savedCampaign)
        #expect(place.failed == 0 && place.position == 0 && place.finished == nil)
        let others = Locked(0)
        let sent = try await runner { token in
            if token.bytes.last == 1 {
                await until { others.withLock { $0 } > 20 }
                return trouble
            }
            others.withLock { $0 += 1 }
            return .sent
        }.run(campaign())
        #expect((sent.sent, sent.failed) == (59, 1))
    }

    @Test("Keeps a token that registered again during the send")
    func registeredSince() async throws {
        await store.fill(PushFixture.app, 2, at: time.clock.now)
        let sent = try await runner { [store, time] token in
            let since = time.clock.now
            time.clock.advance(by: 60)
            if token.bytes.last == 1 { await store.register(token, at: time.clock.now) }
            return token.bytes.last == 1 ? .gone(since: since) : .gone(since: nil)
        }.run(campaign())
        #expect(sent.gone == 2)
        let left = await store.pushTokens(of: PushFixture.app, in: .production, after: 0, limit: 9)
        #expect(left.map(\.sequence) == [1])
    }
}
