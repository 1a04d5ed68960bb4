import Foundation
import Gatefold
import PushFixtures
import TestSupport
import Testing

@testable import Push

@Suite("Notification on publication of an edition", .timeLimit(.minutes(10))) struct PublishedNotifierTests {
    private let clock = ManualClock()
    private let store = InMemoryPushTokens()
    /// The senders of the current configuration.
    private let campaignSenders = Locked<[PushCampaignSender]>([])
    /// The number of lookups without a sender.
    private let misses = Locked(0)

    private func edition(_ id: String, _ days: Double) throws -> Edition {
        Edition(
            id: try #require(EditionID(id)), title: id, published: clock.now.addingTimeInterval(days * 86_400))
    }

    private func with(
        _ more: String = "on_publish: true", sleep: @escaping @Sendable (TimeInterval) async throws -> Void = { _ in },
        _ body: @Sendable @escaping (PushFixture, PublishedNotifier, Locked<[String]>) async throws -> Void
    ) async throws {
        try await PushFixture.with { fixture in
            await store.fill(PushFixture.app, 3, at: clock.now)
            let events = Locked<[String]>([])
            let campaignSender = try fixture.campaignSender(store, more, clock: clock.wall)
            campaignSenders.withLock { $0 = [campaignSender] }
            let current: @Sendable () -> [PushCampaignSender] = { [campaignSenders, misses] in
                let current = campaignSenders.withLock { $0 }
                if current.isEmpty { misses.withLock { $0 += 1 } }
                return current
            }
            let notifier = PublishedNotifier(clock: clock.wall, sleep: sleep, campaignSenders: current) { event in
                let label =
                    switch event {
                    case .notification: "notification"
                    case .began(let campaign): "began \(campaign.name)"
                    case .finished(let campaign): "finished \(campaign.name) \(campaign.sent)"
                    case .droppedLate(let campaign): "dropped \(campaign.name)"
                    case .stopped(_, _, let willRetry): "stopped \(willRetry)"
                    case .storeFailed: "store failed"
                    }
                events.withLock { $0.append(label) }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await notifier.run() }
                defer { group.cancelAll() }
                try await body(fixture, notifier, events)
            }
        }
    }

    @Test("Notifies each app once, with the newest edition only")
    func newest() async throws {
        try await with { fixture, notifier, events in
            let editions = [try edition("daily-1", -2), try edition("daily-3", 0), try edition("daily-2", -1)]
            let (publication, later) = (try PushFixture.publication, [try edition("daily-4", 0)])
            #expect(await notifier.didPublish(publication, editions))
            #expect(await notifier.didPublish(publication, editions))
            await until { events.withLock { $0.contains("finished com.example.daily/daily-3 3") } }
            #expect(await notifier.didPublish(publication, [editions[1]]))
            #expect(await notifier.didPublish(publication, later))
            await until { events.withLock { $0.contains("finished com.example.daily/daily-4 3") } }
            let names = fixture.fake.requests.map {
                $0.body.contains("daily-3") ? 3 : $0.body.contains("daily-4") ? 4 : 0
            }
            #expect(names.sorted() == [3, 3, 3, 4, 4, 4])
        }
    }

    @Test("Resumes its campaigns after a restart and leaves an operator's campaigns alone")
    func takenUp() async throws {
        let publication = try PushFixture.publication
        let half = PushCampaign(
            name: "com.example.daily/daily-1", publication: publication, app: PushFixture.app,
            environment: .production, edition: try edition("daily-1", 0).id, begun: clock.now, position: 1, sent: 1)
        _ = try await store.begin(half)
        _ = try await store.begin(
            PushCampaign(
                name: "greetings", publication: publication, app: PushFixture.app, environment: .production,
                edition: nil, begun: clock.now))
        _ = try await store.begin(
            PushCampaign(
                name: "com.example.daily/daily-0", publication: publication, app: PushFixture.app,
                environment: .production, edition: try edition("daily-0", 0).id,
                begun: clock.now.addingTimeInterval(-90_000)))
        try await with { fixture, _, events in
            await until { events.withLock { $0.count } == 2 }
            #expect(
                events.withLock { $0.sorted() } == [
                    "dropped com.example.daily/daily-0", "finished com.example.daily/daily-1 3",
                ])
            #expect(fixture.fake.requests.count == 2)
            let open = await store.campaigns(in: publication, unfinished: true, limit: 9)
            #expect(open.map(\.name) == ["greetings"])
        }
    }

    @Test("Pitfall 21: does not drop a campaign because the clock was ahead for a while")
    func clockAhead() async throws {
        let publication = try PushFixture.publication
        _ = try await store.begin(
            PushCampaign(
                name: "com.example.daily/daily-1", publication: publication, app: PushFixture.app,
                environment: .production, edition: try edition("daily-1", 0).id, begun: clock.now))
        clock.step(by: 365 * 86_400)
        let sleep: @Sendable (TimeInterval) async throws -> Void = { [clock] seconds in
            #expect(seconds == 3_600)
            clock.step(by: -365 * 86_400)
        }
        try await with(sleep: sleep) { _, _, events in
            await until { events.withLock { $0.contains { $0.hasPrefix("finished") || $0.hasPrefix("dropped") } } }
            #expect(events.withLock { $0.contains("finished com.example.daily/daily-1 3") })
        }
    }

    /// The lease of the first edition's campaign.
    private static let lease = "push campaign com.example.daily/daily-1"

    @Test("Waits for another process to finish, and stops if APNs rejects the campaign")
    func trouble() async throws {
        let waited = Locked(0)
        try await with(sleep: { [store] _ in
            waited.withLock { $0 += 1 }
            await store.endLease(Self.lease, owner: [1])
        }) { fixture, notifier, events in
            #expect(await store.takeLease(Self.lease, owner: [1], for: 60))
            _ = await notifier.didPublish(try PushFixture.publication, [try edition("daily-1", 0)])
            await until { waited.withLock { $0 } > 0 }
            let token = PushToken.numbered(1).map { String(format: "%02x", $0) }.joined()
            await until { events.withLock { $0.contains("finished com.example.daily/daily-1 3") } }
            fixture.fake.response(token, .status(403, reason: "InvalidProviderToken"))
            _ = await notifier.didPublish(try PushFixture.publication, [try edition("daily-2", 0)])
            await until { events.withLock { $0.contains("stopped false") } }
        }
    }

    @Test("Uses the current configuration at each attempt and stops for a removed publication")
    func reload() async throws {
        try await with(sleep: { [campaignSenders, store] _ in
            campaignSenders.withLock { $0 = [] }
            await store.endLease(Self.lease, owner: [1])
        }) { fixture, notifier, events in
            #expect(await store.takeLease(Self.lease, owner: [1], for: 60))
            _ = await notifier.didPublish(try PushFixture.publication, [try edition("daily-1", 0)])
            await until { misses.withLock { $0 } > 0 }
            #expect(fixture.fake.requests.isEmpty)
            let next = try fixture.campaignSender(store, "on_publish: true\nttl: 0s", clock: clock.wall)
            campaignSenders.withLock { $0 = [next] }
            notifier.didReload()
            await until { events.withLock { $0.contains("finished com.example.daily/daily-1 3") } }
            #expect(fixture.fake.requests.map { $0.field("apns-expiration") } == ["0", "0", "0"])
        }
    }

    @Test("Sends nothing if on_publish is off")
    func off() async throws {
        try await with("on_publish: false") { fixture, notifier, _ in
            _ = await notifier.didPublish(try PushFixture.publication, [try edition("daily-1", 0)])
            let publication = try PushFixture.publication
            #expect(await store.campaigns(in: publication, unfinished: false, limit: 9).isEmpty)
            #expect(fixture.fake.requests.isEmpty)
        }
    }

    @Test("Accepts an edition only after its campaigns are stored")
    func stored() async throws {
        let relay = PublishedEventRelay()
        let (publication, editions) = (try PushFixture.publication, [try edition("daily-1", 0)])
        #expect(await !relay.notify(publication, editions), "no listener exists yet")
        try await with { fixture, notifier, events in
            relay.listen { [weak notifier] in await notifier?.didPublish($0, $1) ?? false }
            await store.rejectCampaigns(1)
            #expect(await !relay.notify(publication, editions))
            #expect(await store.campaigns(in: publication, unfinished: false, limit: 9).isEmpty)
            #expect(events.withLock { $0 } == ["store failed"])
            #expect(await relay.notify(publication, editions))
            await until { events.withLock { $0.contains("finished com.example.daily/daily-1 3") } }
            #expect(fixture.fake.requests.count == 3)
        }
    }
}
