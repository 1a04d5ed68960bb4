import Foundation
import Gatefold
import PushFixtures
import TestSupport
import Testing

@testable import Push

@Suite("Push campaign sender", .timeLimit(.minutes(10))) struct CampaignSendingTests {
    private let clock = ManualClock()

    @Test("Sends once to each of 5,000 tokens over one connection within the stream limit")
    func many() async throws {
        try await PushFixture.with { fixture in
            let store = InMemoryPushTokens()
            let tokens = await store.fill(PushFixture.app, 5_000, at: clock.now)
            let campaignSender = try fixture.campaignSender(store, "max_concurrent: 20\nper_second: 100000")
            let shown = Locked<[Int]>([])
            let sent = try await campaignSender.send(
                campaignSender.campaign(for: campaignSender.settings.apps[0], edition: EditionID("daily-7")),
                to: campaignSender.settings.apps[0]
            ) { campaign, total in shown.withLock { $0.append(campaign.processedCount * 10_000 / total) } }
            #expect((sent.sent, sent.failed, sent.gone) == (5_000, 0, 0))
            #expect(sent.finished != nil)
            #expect(fixture.fake.counts == Dictionary(uniqueKeysWithValues: tokens.map { ($0, 1) }))
            #expect(fixture.fake.maxInFlight <= 20)
            #expect(fixture.fake.maxInFlight > 1)
            #expect(fixture.fake.connections == 1)
            let progress = shown.withLock { $0 }
            #expect((progress.first, progress.last) == (0, 10_000))
            #expect(progress == progress.sorted())
            let bodies = Set(fixture.fake.requests.map(\.body))
            #expect(bodies == [#"{"aps":{"content-available":1},"content-name":"daily-7"}"#])
            #expect(Set(fixture.fake.requests.map { $0.field("apns-collapse-id") }) == ["daily-7"])
        }
    }

    @Test("Continues after rejected tokens and deletes the unregistered ones")
    func mixed() async throws {
        try await PushFixture.with { fixture in
            let store = InMemoryPushTokens()
            let tokens = await store.fill(PushFixture.app, 40, at: clock.now)
            let then = Int(clock.now.timeIntervalSince1970 * 1000)
            fixture.fake.response(tokens[0], .status(400, reason: "BadDeviceToken"))
            fixture.fake.response(tokens[1], .status(410, reason: "Unregistered", timestamp: then + 1_000))
            // The app registered again after APNs had dropped the token.
            fixture.fake.response(tokens[2], .status(410, reason: "Unregistered", timestamp: then - 1_000))
            fixture.fake.response(tokens[3], .status(400, reason: "DeviceTokenNotForTopic"))
            fixture.fake.response(tokens[4], .status(429), .status(500))
            let campaignSender = try fixture.campaignSender(store, clock: clock.wall, sleep: { _ in })
            let app = campaignSender.settings.apps[0]
            let sent = try await campaignSender.send(campaignSender.campaign(for: app, edition: nil), to: app)
            #expect((sent.sent, sent.failed, sent.gone) == (36, 1, 3))
            let left = await store.pushTokens(of: PushFixture.app, in: .production, after: 0, limit: 100)
            #expect(left.map(\.sequence) == Array(3...40))
        }
    }

    @Test("Sends a plain notification without an edition's name if configured")
    func historicFormat() async throws {
        try await PushFixture.with { fixture in
            let store = InMemoryPushTokens()
            await store.fill(PushFixture.app, 1, at: clock.now)
            let plain = try fixture.settings(
                "ttl: 0s",
                app:
                    "{team: \(PushFixture.team), key_id: \(PushFixture.keyID), key: {file: key.p8}, content_name: false}"
            )
            let campaignSender = PushCampaignSender(
                publication: try PushFixture.publication, settings: plain, store: store)
            let long = try #require(EditionID(String(repeating: "e", count: 100)))
            _ = try await campaignSender.send(
                campaignSender.campaign(for: plain.apps[0], edition: long), to: plain.apps[0])
            let request = try #require(fixture.fake.requests.first)
            #expect(request.body == #"{"aps":{"content-available":1}}"#)
            #expect(request.field("apns-expiration") == "0")
            #expect(request.field("apns-collapse-id")?.utf8.count == 64)
        }
    }

    @Test("Uses one provider token for all apps of a key and all campaigns")
    func providerToken() async throws {
        try await PushFixture.with { fixture in
            let store = InMemoryPushTokens()
            let providers = ProviderTokens()
            for number in 1...3 {
                await store.fill(PushFixture.app, number, at: clock.now)
                let campaignSender = try fixture.campaignSender(store, providers: providers, clock: clock.wall)
                let app = campaignSender.settings.apps[0]
                _ = try await campaignSender.send(
                    campaignSender.campaign(for: app, edition: EditionID("daily-\(number)")), to: app)
                clock.advance(by: 60)
            }
            #expect(fixture.fake.requests.count == 6)
            #expect(Set(fixture.fake.requests.map { $0.field("authorization") }).count == 1)
        }
    }

    @Test("Stays open while APNs responds with 429 to all, and sends to each token later")
    func tooMany() async throws {
        try await PushFixture.with { fixture in
            let store = InMemoryPushTokens()
            let tokens = await store.fill(PushFixture.app, 20, at: clock.now)
            let counted = Locked<[NotificationResult: Int]>([:])
            let campaignSender = try fixture.campaignSender(
                store,
                observe: { event in
                    if case .notification(_, PushFixture.app, let result) = event {
                        counted.withLock { $0[result, default: 0] += 1 }
                    }
                }, clock: clock.wall, sleep: { _ in })
            let app = campaignSender.settings.apps[0]
            let busy = FakeAPNs.StubResponse.status(429, reason: "TooManyProviderTokenUpdates")
            for token in tokens { fixture.fake.response(token, busy, busy, busy, busy, busy) }
            let campaign = campaignSender.campaign(for: app, edition: EditionID("daily-7"))
            await #expect(throws: PushCampaignError.unavailable("it responds with 429 TooManyProviderTokenUpdates")) {
                try await campaignSender.send(campaign, to: app)
            }
            let open = await store.campaigns(in: try PushFixture.publication, unfinished: true, limit: 9)
            #expect(open.map(\.name) == [campaign.name])
            #expect(open.first?.processedCount == 0)
            for token in tokens { fixture.fake.response(token) }
            counted.withLock { $0 = [:] }
            let sent = try await campaignSender.send(campaign, to: app)
            #expect((sent.sent, sent.failed) == (20, 0))
            #expect(counted.withLock { $0 } == [.sent: 20])
        }
    }

    @Test(
        "A general campaign resumes only a general one that is unfinished and recent")
    func general() async throws {
        try await PushFixture.with { fixture in
            let store = InMemoryPushTokens()
            let campaignSender = try fixture.campaignSender(store, clock: clock.wall)
            let app = campaignSender.settings.apps[0]
            let named = campaignSender.campaign(for: app, edition: nil, name: "sale")
            _ = try await store.begin(named)
            let first = try #require(try await campaignSender.generalCampaigns(for: [app], in: nil).first)
            #expect(first.name != "sale")
            _ = try await store.begin(first)
            clock.advance(by: 3_600)
            #expect(try await campaignSender.generalCampaigns(for: [app], in: nil).map(\.name) == [first.name])
            #expect(try await campaignSender.generalCampaigns(for: [app], in: .sandbox).map(\.name) != [first.name])
            clock.advance(by: 86_400)
            #expect(try await campaignSender.generalCampaigns(for: [app], in: nil).map(\.name) != [first.name])
        }
    }

    @Test("A general campaign for several apps resumes the unfinished ones only")
    func generalOfSeveral() async throws {
        try await PushFixture.with { fixture in
            let store = InMemoryPushTokens()
            let one = "{team: \(PushFixture.team), key_id: \(PushFixture.keyID), key: {file: key.p8}}"
            let campaignSender = PushCampaignSender(
                publication: try PushFixture.publication,
                settings: try fixture.settings(app: "\(one)\n  com.example.weekly: \(one)"), store: store,
                clock: clock.wall)
            let apps = campaignSender.settings.apps
            #expect(apps.map(\.id) == [PushFixture.app, "com.example.weekly"])
            let new = try await campaignSender.generalCampaigns(for: apps, in: nil)
            #expect(new.map(\.app) == apps.map(\.id))
            for campaign in new { _ = try await store.begin(campaign) }
            var done = new[0]
            done.finished = clock.now
            try await store.save(done)
            clock.advance(by: 60)
            #expect(try await campaignSender.generalCampaigns(for: apps, in: nil) == [new[1]])
            #expect(try await campaignSender.generalCampaigns(for: [apps[0]], in: nil).map(\.name) != [new[0].name])
            done = new[1]
            done.finished = clock.now
            try await store.save(done)
            #expect(try await campaignSender.generalCampaigns(for: apps, in: nil).count == 2)
        }
    }
}
