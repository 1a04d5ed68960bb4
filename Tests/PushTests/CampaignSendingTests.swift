import Foundation
import Gatefold
import PushBenches
import TestSupport
import Testing

@testable import Push

@Suite("A campaign", .timeLimit(.minutes(10))) struct CampaignSendingTests {
    private let clock = ManualClock()

    @Test("of 5,000 tokens comes to each once, over one connection and with no more streams than allowed")
    func many() async throws {
        try await PushBench.with { bench in
            let store = VolatilePushTokens()
            let tokens = await store.fill(PushBench.app, 5_000, at: clock.now)
            let office = try bench.office(store, "most_at_once: 20\nper_second: 100000")
            let shown = Kept<[Int]>([])
            let sent = try await office.send(
                office.campaign(for: office.settings.apps[0], edition: EditionID("daily-7")),
                to: office.settings.apps[0]
            ) { campaign, total in shown.withLock { $0.append(campaign.dealtWith * 10_000 / total) } }
            #expect((sent.sent, sent.failed, sent.gone) == (5_000, 0, 0))
            #expect(sent.finished != nil)
            #expect(bench.standIn.counts == Dictionary(uniqueKeysWithValues: tokens.map { ($0, 1) }))
            #expect(bench.standIn.mostUnderWay <= 20)
            #expect(bench.standIn.mostUnderWay > 1)
            #expect(bench.standIn.connections == 1)
            let progress = shown.withLock { $0 }
            #expect((progress.first, progress.last) == (0, 10_000))
            #expect(progress == progress.sorted())
            let bodies = Set(bench.standIn.requests.map(\.body))
            #expect(bodies == [#"{"aps":{"content-available":1},"content-name":"daily-7"}"#])
            #expect(Set(bench.standIn.requests.map { $0.field("apns-collapse-id") }) == ["daily-7"])
        }
    }

    @Test("goes around what APNs refuses, and forgets the tokens it knows no more")
    func mixed() async throws {
        try await PushBench.with { bench in
            let store = VolatilePushTokens()
            let tokens = await store.fill(PushBench.app, 40, at: clock.now)
            let then = Int(clock.now.timeIntervalSince1970 * 1000)
            bench.standIn.answer(tokens[0], .status(400, reason: "BadDeviceToken"))
            bench.standIn.answer(tokens[1], .status(410, reason: "Unregistered", timestamp: then + 1_000))
            // The app came back after APNs had given it up.
            bench.standIn.answer(tokens[2], .status(410, reason: "Unregistered", timestamp: then - 1_000))
            bench.standIn.answer(tokens[3], .status(400, reason: "DeviceTokenNotForTopic"))
            bench.standIn.answer(tokens[4], .status(429), .status(500))
            let office = try bench.office(store, clock: clock.wall, sleep: { _ in })
            let app = office.settings.apps[0]
            let sent = try await office.send(office.campaign(for: app, edition: nil), to: app)
            #expect((sent.sent, sent.failed, sent.gone) == (36, 1, 3))
            let left = await store.pushTokens(of: PushBench.app, in: .production, after: 0, limit: 100)
            #expect(left.map(\.sequence) == Array(3...40))
        }
    }

    @Test("can be told with a plain notification, too, and for once")
    func historicForm() async throws {
        try await PushBench.with { bench in
            let store = VolatilePushTokens()
            await store.fill(PushBench.app, 1, at: clock.now)
            let plain = try bench.settings(
                "keep_for: 0s",
                app: "{team: \(PushBench.team), key_id: \(PushBench.keyID), key: {file: key.p8}, content_name: false}")
            let office = PushOffice(
                publication: try PushBench.publication, settings: plain, store: store,
                statePath: bench.folder.appending(path: "state.sqlite").path)
            let long = try #require(EditionID(String(repeating: "e", count: 100)))
            _ = try await office.send(office.campaign(for: plain.apps[0], edition: long), to: plain.apps[0])
            let request = try #require(bench.standIn.requests.first)
            #expect(request.body == #"{"aps":{"content-available":1}}"#)
            #expect(request.field("apns-expiration") == "0")
            #expect(request.field("apns-collapse-id")?.utf8.count == 64)
        }
    }

    @Test("vouches with one provider token for all apps of a key, whichever campaign they are told by")
    func providerToken() async throws {
        try await PushBench.with { bench in
            let store = VolatilePushTokens()
            let providers = ProviderTokens()
            for number in 1...3 {
                await store.fill(PushBench.app, number, at: clock.now)
                let office = try bench.office(store, providers: providers, clock: clock.wall)
                let app = office.settings.apps[0]
                _ = try await office.send(office.campaign(for: app, edition: EditionID("daily-\(number)")), to: app)
                clock.advance(by: 60)
            }
            #expect(bench.standIn.requests.count == 6)
            #expect(Set(bench.standIn.requests.map { $0.field("authorization") }).count == 1)
        }
    }

    @Test("stays open where APNs answers 429 to all, and comes to each when it takes them again")
    func tooMany() async throws {
        try await PushBench.with { bench in
            let store = VolatilePushTokens()
            let tokens = await store.fill(PushBench.app, 20, at: clock.now)
            let counted = Kept<[NotificationResult: Int]>([:])
            let office = try bench.office(
                store,
                observe: { event in
                    if case .notification(_, PushBench.app, let result) = event {
                        counted.withLock { $0[result, default: 0] += 1 }
                    }
                }, clock: clock.wall, sleep: { _ in })
            let app = office.settings.apps[0]
            let busy = APNsStandIn.Answer.status(429, reason: "TooManyProviderTokenUpdates")
            for token in tokens { bench.standIn.answer(token, busy, busy, busy, busy, busy) }
            let campaign = office.campaign(for: app, edition: EditionID("daily-7"))
            await #expect(throws: PushStop.unavailable("it answers 429 TooManyProviderTokenUpdates")) {
                try await office.send(campaign, to: app)
            }
            let open = await store.campaigns(in: try PushBench.publication, unfinished: true, limit: 9)
            #expect(open.map(\.name) == [campaign.name])
            #expect(open.first?.dealtWith == 0)
            for token in tokens { bench.standIn.answer(token) }
            counted.withLock { $0 = [:] }
            let sent = try await office.send(campaign, to: app)
            #expect((sent.sent, sent.failed) == (20, 0))
            #expect(counted.withLock { $0 } == [.sent: 20])
        }
    }

    @Test(
        "without an edition goes on with its like only: not with one that has a name of its own, nor one that is over")
    func general() async throws {
        try await PushBench.with { bench in
            let store = VolatilePushTokens()
            let office = try bench.office(store, clock: clock.wall)
            let app = office.settings.apps[0]
            let named = office.campaign(for: app, edition: nil, name: "sale")
            _ = try await store.begin(named)
            let first = try await office.generalCampaign(for: app, in: nil)
            #expect(first.name != "sale")
            _ = try await store.begin(first)
            clock.advance(by: 3_600)
            #expect(try await office.generalCampaign(for: app, in: nil).name == first.name)
            #expect(try await office.generalCampaign(for: app, in: .sandbox).name != first.name)
            clock.advance(by: 86_400)
            #expect(try await office.generalCampaign(for: app, in: nil).name != first.name)
        }
    }
}
