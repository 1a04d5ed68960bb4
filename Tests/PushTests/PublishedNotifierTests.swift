import Foundation
import Gatefold
import PushBenches
import TestSupport
import Testing

@testable import Push

@Suite("An edition that comes out", .timeLimit(.minutes(10))) struct PublishedNotifierTests {
    private let clock = ManualClock()
    private let store = VolatilePushTokens()
    /// Those of the configuration in force.
    private let offices = Kept<[PushOffice]>([])
    /// How often they were looked up when there was none.
    private let misses = Kept(0)

    private func edition(_ id: String, _ days: Double) throws -> Edition {
        Edition(
            id: try #require(EditionID(id)), title: id, published: clock.now.addingTimeInterval(days * 86_400))
    }

    private func with(
        _ more: String = "on_publish: true", sleep: @escaping @Sendable (TimeInterval) async throws -> Void = { _ in },
        _ body: @Sendable @escaping (PushBench, PublishedNotifier, Kept<[String]>) async throws -> Void
    ) async throws {
        try await PushBench.with { bench in
            await store.fill(PushBench.app, 3, at: clock.now)
            let events = Kept<[String]>([])
            let office = try bench.office(store, more, clock: clock.wall)
            offices.withLock { $0 = [office] }
            let current: @Sendable () -> [PushOffice] = { [offices, misses] in
                let current = offices.withLock { $0 }
                if current.isEmpty { misses.withLock { $0 += 1 } }
                return current
            }
            let notifier = PublishedNotifier(clock: clock.wall, sleep: sleep, offices: current) { event in
                let word =
                    switch event {
                    case .notification: "notification"
                    case .began(let campaign): "began \(campaign.name)"
                    case .finished(let campaign): "finished \(campaign.name) \(campaign.sent)"
                    case .droppedLate(let campaign): "dropped \(campaign.name)"
                    case .stopped(_, _, let isTriedAgain): "stopped \(isTriedAgain)"
                    case .storeFailed: "store failed"
                    }
                events.withLock { $0.append(word) }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await notifier.run() }
                defer { group.cancelAll() }
                try await body(bench, notifier, events)
            }
        }
    }

    @Test("is told to every app once, and the newest stands for all that come out with it")
    func newest() async throws {
        try await with { bench, notifier, events in
            let editions = [try edition("daily-1", -2), try edition("daily-3", 0), try edition("daily-2", -1)]
            let (publication, later) = (try PushBench.publication, [try edition("daily-4", 0)])
            #expect(await notifier.didPublish(publication, editions))
            #expect(await notifier.didPublish(publication, editions))
            await until { events.withLock { $0.contains("finished com.example.daily/daily-3 3") } }
            #expect(await notifier.didPublish(publication, [editions[1]]))
            #expect(await notifier.didPublish(publication, later))
            await until { events.withLock { $0.contains("finished com.example.daily/daily-4 3") } }
            let names = bench.standIn.requests.map {
                $0.body.contains("daily-3") ? 3 : $0.body.contains("daily-4") ? 4 : 0
            }
            #expect(names.sorted() == [3, 3, 3, 4, 4, 4])
        }
    }

    @Test("is told after a restart, and what an operator made up is left to the operator")
    func takenUp() async throws {
        let publication = try PushBench.publication
        let half = PushCampaign(
            name: "com.example.daily/daily-1", publication: publication, app: PushBench.app,
            environment: .production, edition: try edition("daily-1", 0).id, begun: clock.now, position: 1, sent: 1)
        _ = try await store.begin(half)
        _ = try await store.begin(
            PushCampaign(
                name: "greetings", publication: publication, app: PushBench.app, environment: .production,
                edition: nil, begun: clock.now))
        _ = try await store.begin(
            PushCampaign(
                name: "com.example.daily/daily-0", publication: publication, app: PushBench.app,
                environment: .production, edition: try edition("daily-0", 0).id,
                begun: clock.now.addingTimeInterval(-90_000)))
        try await with { bench, _, events in
            await until { events.withLock { $0.count } == 2 }
            #expect(
                events.withLock { $0.sorted() } == [
                    "dropped com.example.daily/daily-0", "finished com.example.daily/daily-1 3",
                ])
            #expect(bench.standIn.requests.count == 2)
            let open = await store.campaigns(in: publication, unfinished: true, limit: 9)
            #expect(open.map(\.name) == ["greetings"])
        }
    }

    @Test("Pitfall 21: is not dropped because the clock was ahead for a while")
    func clockAhead() async throws {
        let publication = try PushBench.publication
        _ = try await store.begin(
            PushCampaign(
                name: "com.example.daily/daily-1", publication: publication, app: PushBench.app,
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

    @Test("is told when another process is done with it, and not at all where APNs refuses it")
    func trouble() async throws {
        let waited = Kept(0)
        let lock = Kept<CampaignLock?>(nil)
        try await with(sleep: { _ in
            waited.withLock { $0 += 1 }
            lock.withLock { $0 = nil }
        }) { bench, notifier, events in
            let path = bench.folder.appending(path: "state.sqlite").path
            lock.withLock { $0 = try? CampaignLock("com.example.daily/daily-1", beside: path) }
            #expect(lock.withLock { $0 != nil })
            _ = await notifier.didPublish(try PushBench.publication, [try edition("daily-1", 0)])
            await until { waited.withLock { $0 } > 0 }
            let token = PushToken.numbered(1).map { String(format: "%02x", $0) }.joined()
            await until { events.withLock { $0.contains("finished com.example.daily/daily-1 3") } }
            bench.standIn.answer(token, .status(403, reason: "InvalidProviderToken"))
            _ = await notifier.didPublish(try PushBench.publication, [try edition("daily-2", 0)])
            await until { events.withLock { $0.contains("stopped false") } }
        }
    }

    @Test("is told by the configuration in force at each attempt, and left alone where that does not name it any more")
    func reload() async throws {
        let lock = Kept<CampaignLock?>(nil)
        try await with(sleep: { [offices] _ in
            offices.withLock { $0 = [] }
            lock.withLock { $0 = nil }
        }) { bench, notifier, events in
            let path = bench.folder.appending(path: "state.sqlite").path
            lock.withLock { $0 = try? CampaignLock("com.example.daily/daily-1", beside: path) }
            _ = await notifier.didPublish(try PushBench.publication, [try edition("daily-1", 0)])
            await until { misses.withLock { $0 } > 0 }
            #expect(bench.standIn.requests.isEmpty)
            let next = try bench.office(store, "on_publish: true\nkeep_for: 0s", clock: clock.wall)
            offices.withLock { $0 = [next] }
            notifier.didReload()
            await until { events.withLock { $0.contains("finished com.example.daily/daily-1 3") } }
            #expect(bench.standIn.requests.map { $0.field("apns-expiration") } == ["0", "0", "0"])
        }
    }

    @Test("is not told where the publication does not want it")
    func off() async throws {
        try await with("on_publish: false") { bench, notifier, _ in
            _ = await notifier.didPublish(try PushBench.publication, [try edition("daily-1", 0)])
            let publication = try PushBench.publication
            #expect(await store.campaigns(in: publication, unfinished: false, limit: 9).isEmpty)
            #expect(bench.standIn.requests.isEmpty)
        }
    }

    @Test("is taken care of once its campaigns are in the store, and not before")
    func kept() async throws {
        let news = PublishedNews()
        let (publication, editions) = (try PushBench.publication, [try edition("daily-1", 0)])
        #expect(await !news.tell(publication, editions), "nobody listens yet")
        try await with { bench, notifier, events in
            news.listen { [weak notifier] in await notifier?.didPublish($0, $1) ?? false }
            await store.refuseCampaigns(1)
            #expect(await !news.tell(publication, editions))
            #expect(await store.campaigns(in: publication, unfinished: false, limit: 9).isEmpty)
            #expect(events.withLock { $0 } == ["store failed"])
            #expect(await news.tell(publication, editions))
            await until { events.withLock { $0.contains("finished com.example.daily/daily-1 3") } }
            #expect(bench.standIn.requests.count == 3)
        }
    }
}
