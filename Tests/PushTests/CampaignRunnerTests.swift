import Foundation
import Gatefold
import PushBenches
import TestSupport
import Testing

@testable import Push

@Suite("The course of a campaign", .timeLimit(.minutes(10))) struct CampaignRunnerTests {
    private let time = ManualTime()
    private let store = VolatilePushTokens()

    private func campaign(_ name: String = "news") throws -> PushCampaign {
        PushCampaign(
            name: name, publication: try PushBench.publication, app: PushBench.app, environment: .production,
            edition: nil, begun: time.clock.now)
    }

    private func runner(
        _ mostAtOnce: Int = 10, perSecond: Int = 100_000, trusting: Bool = false,
        _ send: @escaping @Sendable (PushToken) async throws -> PushOutcome
    ) -> PushCampaignRunner {
        let quick: @Sendable (TimeInterval) async throws -> Void = { [time] _ in time.clock.advance(by: 0.001) }
        return PushCampaignRunner(
            store: store, limits: PushLimits(mostAtOnce: mostAtOnce, perSecond: perSecond), trusting: trusting,
            clock: time.clock.wall, sleep: perSecond == 100_000 ? quick : time.sleep, send: send)
    }

    private var kept: PushCampaign? {
        get async throws { await store.campaigns(in: try PushBench.publication, unfinished: false, limit: 1).first }
    }

    @Test("begins no more in a second than allowed")
    func rate() async throws {
        await store.fill(PushBench.app, 25, at: time.clock.now)
        let begun = Kept(0)
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

    @Test("is at no time further ahead of the place that is kept than it may repeat after a crash")
    func distance() async throws {
        await store.fill(PushBench.app, 3_000, at: time.clock.now)
        let limits = PushLimits(mostAtOnce: 10, perSecond: 1)
        #expect(limits.mostRepeated == 100)
        let furthest = Kept<Int64>(0)
        let runner = runner { [store] token in
            let place = Int64(token.bytes.suffix(4).reduce(0) { $0 << 8 | Int($1) })
            // Every hundredth takes its time.
            if place.isMultiple(of: 100) { for _ in 0..<200 { await Task.yield() } }
            let kept =
                await store.campaigns(in: try PushBench.publication, unfinished: false, limit: 1).first?.position ?? 0
            furthest.withLock { $0 = max($0, place - kept) }
            return .sent
        }
        #expect(try await runner.run(campaign()).sent == 3_000)
        #expect(furthest.withLock { $0 } <= 100)
        #expect(await store.keepings >= 30)
    }

    @Test("stops cleanly when it is cancelled, and goes on where it was, telling nobody twice")
    func cancelled() async throws {
        await store.fill(PushBench.app, 400, at: time.clock.now)
        let told = Kept<[PushToken: Int]>([:])
        let door = Door()
        let first = runner { token in
            if told.withLock({ $0.count }) >= 137 { await door.pass() }
            told.withLock { $0[token, default: 0] += 1 }
            return .sent
        }
        let campaign = try campaign()
        let sending = Task { try await first.run(campaign) }
        await until { door.waiting == 10 }
        sending.cancel()
        door.open()
        let stopped = try await sending.value
        #expect(stopped.finished == nil)
        #expect(stopped.sent == told.withLock { $0.count })
        #expect(try await kept == stopped)

        let second = runner { token in
            told.withLock { $0[token, default: 0] += 1 }
            return .sent
        }
        let finished = try await second.run(campaign)
        #expect(finished.sent == 400)
        #expect(finished.finished != nil)
        #expect(told.withLock { $0.count == 400 && $0.values.allSatisfy { $0 == 1 } })
        #expect(try await second.run(campaign) == finished, "the same name is the same campaign, begun once")
        #expect(told.withLock { $0.values.reduce(0, +) } == 400)
    }

    @Test("includes apps that register while it runs")
    func late() async throws {
        await store.fill(PushBench.app, 10, at: time.clock.now)
        let runner = runner { [store, time] token in
            let late = PushToken(app: PushBench.app, bytes: [1], environment: .production)
            await store.register(late, at: time.clock.now)
            return .sent
        }
        #expect(try await runner.run(campaign()).sent == 11)
    }

    @Test("stops when APNs refuses it, counts nobody it did not come to, and goes on with better settings")
    func refused() async throws {
        await store.fill(PushBench.app, 30, at: time.clock.now)
        let stop = PushStop.refused(APNsReason(status: 403, text: "InvalidProviderToken"))
        let asked = Kept(0)
        await #expect(throws: stop) {
            try await runner(2) { _ in
                if asked.withLock({ count -> Int in
                    count += 1
                    return count
                }) > 5 {
                    throw stop
                }
                return .sent
            }.run(campaign())
        }
        let place = try #require(try await kept)
        #expect(place.sent <= 5 && place.position == Int64(place.sent))
        #expect(try await runner { _ in .sent }.run(campaign()).sent == 30)
        #expect(stop.description.contains("403 InvalidProviderToken"))
    }

    @Test("stops before it forgets tokens that only the settings make unknown")
    func strangers() async throws {
        await store.fill(PushBench.app, 200, at: time.clock.now)
        await #expect(throws: PushStop.strangers(50)) {
            try await runner { _ in .badToken }.run(campaign())
        }
        #expect(await store.countPushTokens(of: PushBench.app, in: .production, after: 0) == 200)
        #expect(try await kept?.position == 0, "all are sent to again")

        let once = Kept(0)
        let sent = try await runner { _ in
            once.withLock {
                $0 += 1
                return $0 <= 45 ? .badToken : .sent
            }
        }.run(campaign())
        #expect((sent.sent, sent.gone) == (155, 45))
        #expect(await store.countPushTokens(of: PushBench.app, in: .production, after: 0) == 155)
    }

    @Test("never stops without a word while it is in doubt: a few unknown tokens, and the rest is not taken")
    func doubt() async throws {
        await store.fill(PushBench.app, 400, at: time.clock.now)
        let busy = PushOutcome.notTaken(APNsReason(status: 429, text: "TooManyRequests"))
        for strangers in [1, 49] {
            await #expect(throws: PushStop.unavailable("it answers 429 TooManyRequests")) {
                try await runner { ($0.bytes.last ?? 0) <= strangers ? .badToken : busy }.run(campaign())
            }
            #expect(try await kept?.position == 0)
        }
        #expect(await store.countPushTokens(of: PushBench.app, in: .production, after: 0) == 400)
    }

    @Test("goes past made-up tokens where an operator says that the settings are right, and removes them")
    func madeUp() async throws {
        await store.fill(PushBench.app, 200, at: time.clock.now)
        let isReal: @Sendable (PushToken) -> Bool = { ($0.bytes.last ?? 0) > 120 }
        await #expect(throws: PushStop.strangers(50)) {
            try await runner { isReal($0) ? .sent : .badToken }.run(campaign())
        }
        let sent = try await runner(trusting: true) { isReal($0) ? .sent : .badToken }.run(campaign())
        #expect((sent.sent, sent.gone) == (80, 120))
        #expect(await store.countPushTokens(of: PushBench.app, in: .production, after: 0) == 80)
    }

    @Test(
        "takes a service that takes nothing for an outage, and stays open; a failing token is a failure",
        arguments: [429, 500])
    func outage(status: Int) async throws {
        await store.fill(PushBench.app, 60, at: time.clock.now)
        let trouble = PushOutcome.notTaken(APNsReason(status: status, text: nil))
        await #expect(throws: PushStop.unavailable("it answers \(status)")) {
            try await runner { _ in trouble }.run(campaign())
        }
        let place = try #require(try await kept)
        #expect(place.failed == 0 && place.position == 0 && place.finished == nil)
        let others = Kept(0)
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

    @Test("forgets nobody who registered again while the notification was under way")
    func registeredSince() async throws {
        await store.fill(PushBench.app, 2, at: time.clock.now)
        let sent = try await runner { [store, time] token in
            let since = time.clock.now
            time.clock.advance(by: 60)
            if token.bytes.last == 1 { await store.register(token, at: time.clock.now) }
            return token.bytes.last == 1 ? .gone(since: since) : .gone(since: nil)
        }.run(campaign())
        #expect(sent.gone == 2)
        let left = await store.pushTokens(of: PushBench.app, in: .production, after: 0, limit: 9)
        #expect(left.map(\.sequence) == [1])
    }
}
