import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Gatefold

@Suite("Denial cache")
struct DenialCacheTests {
    private static let queried = DenialCache.QueriedFields(backend: "house", fields: [])

    private func reader(_ number: Int) -> SubscriberPseudonym {
        PseudonymKey(.one).reference(to: Subscriber(backend: "house", key: "\(number)"))
    }

    private func key(_ number: Int, _ edition: Int? = nil) throws -> DenialCache.Key {
        guard let edition else { return .reader(reader(number), Self.queried) }
        return .edition(try #require(EditionID("made-up-\(edition)")), reader(number), .daily, Self.queried)
    }

    @Test("Pitfall 23: requests for 200,000 made-up editions evict no denial of any reader")
    func flood() throws {
        let cache = DenialCache(capacity: 2_000)
        cache.record(try key(1), .suspended)
        cache.record(try key(2, 1), .edition)
        cache.record(try key(3, 1), .edition)
        for edition in 0..<200_000 { cache.record(try key(3, edition + 10), .edition) }
        #expect(cache.wasDenied(try key(1, 5)))
        #expect(cache.wasDenied(try key(2, 1)))
        #expect(try !cache.wasDenied(key(2, 2)))
        #expect(cache.wasDenied(try key(3, 1)), "denied before the flood")
        #expect(cache.count < 160)
    }

    @Test("Pitfall 23: denials with made-up fields do not evict the state of a reader")
    func fields() throws {
        let cache = DenialCache(share: 16)
        cache.record(try key(1), .suspended)
        for number in 0..<1_000 {
            cache.record(.reader(reader(1), .init(backend: "house", fields: Array("\(number)".utf8))), .suspended)
        }
        #expect(cache.wasDenied(try key(1, 7)))
        #expect(cache.count <= 32)
    }

    @Test("When the total capacity is exceeded, the least recently denied readers are evicted")
    func capacity() throws {
        let cache = DenialCache(capacity: 100)
        for number in 0..<1_000 { cache.record(try key(number), .inactive) }
        #expect(cache.count <= 100)
        #expect(cache.wasDenied(try key(999)))
        #expect(try !cache.wasDenied(key(0)))
    }

    @Test("Only a result queried after a denial ends it")
    func order() throws {
        let cache = DenialCache()
        let before = cache.order
        cache.record(try key(1), .suspended)
        cache.record(try key(1), nil, queried: before)
        #expect(cache.wasDenied(try key(1)))
        cache.record(try key(1), nil, isLastKnownGood: true)
        #expect(cache.wasDenied(try key(1)))
        cache.record(try key(1), nil, queried: cache.order)
        #expect(try !cache.wasDenied(key(1)))
    }

    private final class Facts: Sendable {
        private let facts = Mutex<[SharedFact]>([])
        func add(_ fact: SharedFact) { facts.withLock { $0.append(fact) } }
        func take() -> [SharedFact] {
            facts.withLock { facts in
                defer { facts = [] }
                return facts
            }
        }
    }

    @Test("Another process applies the same denials and removes them after a grant here")
    func shared() throws {
        let facts = Facts()
        let (one, other) = (DenialCache(record: facts.add), DenialCache())
        one.record(try key(1), .suspended)
        one.record(try key(2, 5), .edition)
        let learnt = facts.take()
        learnt.forEach(other.follow)
        #expect(other.wasDenied(try key(1, 9)))
        #expect(other.wasDenied(try key(2, 5)))
        #expect(try !other.wasDenied(key(2, 6)))
        #expect(learnt.compactMap(DenialCache.denied).map(\.denial) == [.suspended, .edition])
        #expect(learnt.compactMap(DenialCache.denied).map(\.edition?.rawValue) == [nil, "made-up-5"])
        one.record(try key(1), .suspended)
        #expect(facts.take().isEmpty, "the fact is not new")
        one.record(try key(1), nil)
        facts.take().forEach(other.follow)
        #expect(try !other.wasDenied(key(1, 9)))
    }

    @Test("Pitfall 21: a process that starts with a wrong clock loads the recorded denials", arguments: [365.0, -365])
    func startWithWrongClock(days: TimeInterval) throws {
        let facts = Facts()
        let clock = ManualClock()
        let before = DenialCache(clock: clock.wall, record: facts.add)
        clock.advance(by: -40 * 86_400)
        before.record(try key(1), .suspended)
        clock.advance(by: 40 * 86_400)
        clock.step(by: days * 86_400)
        let after = DenialCache(clock: clock.wall)
        facts.take().forEach(after.follow)
        clock.step(by: -days * 86_400)
        #expect(after.wasDenied(try key(1, 9)))
    }

    /// Returns the facts that a store retains, in its order.
    private func latestFacts(_ facts: [SharedFact]) -> [SharedFact] {
        var latestFacts: [SharedFact] = []
        for fact in facts {
            let before = latestFacts.first { $0.id == fact.id }
            latestFacts.removeAll { fact.supersedes($0) }
            latestFacts.append(
                SharedFact(
                    id: fact.id, value: before.map { fact.value(mergedWith: $0.value) } ?? fact.value,
                    timestamp: fact.timestamp, end: fact.end))
        }
        return latestFacts
    }

    @Test("A reader denied more editions than are cached singly is denied exactly these", arguments: [false, true])
    func many(isElsewhere: Bool) throws {
        let facts = Facts()
        let (one, other) = (DenialCache(record: facts.add), DenialCache())
        for edition in 0..<500 { one.record(try key(1, edition), .edition) }
        latestFacts(facts.take()).forEach(other.follow)
        let cache = isElsewhere ? other : one
        for edition in 0..<500 { #expect(cache.wasDenied(try key(1, edition))) }
        for edition in 500..<520 { #expect(try !cache.wasDenied(key(1, edition))) }
    }

    @Test("Many denials of one process do not displace the recorded denials of another process")
    func apart() throws {
        let (facts, others) = (Facts(), Facts())
        let (one, other, restarted) = (
            DenialCache(record: facts.add), DenialCache(record: others.add), DenialCache()
        )
        other.record(try key(1, 900), .edition)
        for edition in 1_000..<1_300 { other.record(try key(1, edition), .edition) }
        for edition in 0..<300 { one.record(try key(1, edition), .edition) }
        let learnt = latestFacts(others.take() + facts.take())
        #expect(learnt.count < 300)
        learnt.forEach(restarted.follow)
        for edition in Array(0..<300) + [900] + Array(1_000..<1_300) {
            #expect(restarted.wasDenied(try key(1, edition)), "\(edition)")
        }
    }

    @Test("A grant of one of many denied editions applies to that edition here, elsewhere and after a restart")
    func granted() throws {
        let facts = Facts()
        let (one, other, restarted) = (DenialCache(record: facts.add), DenialCache(), DenialCache())
        for edition in 0..<500 { one.record(try key(1, edition), .edition) }
        var learnt = facts.take()
        let before = one.order
        one.record(try key(1, 9), .edition)
        one.record(try key(1, 7), nil, queried: before)
        #expect(one.wasDenied(try key(1, 7)), "queried before the last denial")
        one.record(try key(1, 7), nil)
        for edition in 500..<700 { one.record(try key(1, edition), .edition) }
        learnt += facts.take()
        learnt.forEach(other.follow)
        latestFacts(learnt).forEach(restarted.follow)
        for cache in [one, other, restarted] {
            #expect(try !cache.wasDenied(key(1, 7)))
            #expect(cache.wasDenied(try key(1, 8)))
            #expect(cache.wasDenied(try key(1, 650)))
        }
        one.record(try key(1, 7), .edition)
        facts.take().forEach(other.follow)
        for cache in [one, other] { #expect(cache.wasDenied(try key(1, 7))) }
    }

    @Test("Pitfall 23: no grant undoes a denial from before a flood of made-up editions")
    func floodAndGrant() throws {
        let facts = Facts()
        let (one, other) = (DenialCache(record: facts.add), DenialCache())
        one.record(try key(1, 1), .edition)
        for edition in 10..<20_000 {
            one.record(try key(1, edition), .edition)
            if edition.isMultiple(of: 500) { one.record(try key(1, 2), nil) }
        }
        latestFacts(facts.take()).forEach(other.follow)
        for cache in [one, other] {
            #expect(cache.wasDenied(try key(1, 1)))
            #expect(cache.wasEditionDenied(try key(1, 1)), "also by the earlier result")
        }
    }

    @Test("A cached denial of one of many editions is not shared again")
    func sharedOnce() throws {
        let facts = Facts()
        let cache = DenialCache(record: facts.add)
        for edition in 0..<500 { cache.record(try key(1, edition), .edition) }
        #expect(facts.take().count < 510)
        for edition in 0..<500 { cache.record(try key(1, edition), .edition) }
        #expect(facts.take().isEmpty)
    }

    @Test("Shared facts hold a pseudonym and no personal data")
    func pseudonyms() throws {
        let facts = Facts()
        let cache = DenialCache(record: facts.add)
        cache.record(try key(2), .suspended)
        #expect(facts.take().map(\.id.subject) == [reader(2).bytes])
    }

    @Test("Pitfall 23: an edition outside the catalogue leaves no entry")
    func unlisted() async throws {
        let denials = DenialCache()
        let catalogue = Catalogue([Edition(id: .first, title: "One", published: .after(-1))])
        let harness = AuthorizationHarness(catalogue: catalogue, denials: denials) { $0.failsOpen = true }
        harness.backend.response(Subscription(state: .active, entitlement: .nothing))
        let token = try await harness.token()
        for number in 0..<300 { #expect(try await harness.credentials(token, "made-up-\(number)").pair == nil) }
        #expect(denials.count == 0)
        #expect(try await harness.credentials(token).pair == nil)
        #expect(denials.count == 1)
        harness.backend.startOutage()
        #expect(try await harness.credentials(token, "made-up-1").pair == nil)
        #expect(try await harness.credentials(token).pair == nil)
    }

    @Test("A last known good result does not open an edition that another process denied")
    func lastKnownGoodResult() async throws {
        let facts = Facts()
        let elsewhere = DenialCache(record: facts.add)
        let denials = DenialCache()
        let harness = AuthorizationHarness(denials: denials) { $0.failsOpen = true }
        harness.backend.response(Subscription(state: .active, entitlement: .editions([.first, .second])), .stale)
        let token = try await harness.token()
        #expect(try await harness.credentials(token).pair != nil)
        let subscriber = try #require(harness.authorizationService.session(token: token)?.subscriber)
        let reader = PseudonymKey(.one).reference(to: subscriber)
        elsewhere.record(
            .edition(.first, reader, .daily, .init(backend: harness.backend.name, fields: [])), .edition)
        facts.take().forEach(denials.follow)
        #expect(try await harness.credentials(token).pair == nil)
        #expect(try await harness.credentials(token, EditionID.second.rawValue).pair != nil)
    }

    @Test("A last known good result does not open an edition denied elsewhere before many others")
    func cachedResultAmongMany() async throws {
        let facts = Facts()
        let elsewhere = DenialCache(record: facts.add)
        let denials = DenialCache()
        let harness = AuthorizationHarness(denials: denials) { $0.failsOpen = true }
        harness.backend.response(Subscription(state: .active, entitlement: .editions([.first, .second])), .stale)
        let token = try await harness.token()
        let subscriber = try #require(harness.authorizationService.session(token: token)?.subscriber)
        let reader = PseudonymKey(.one).reference(to: subscriber)
        let queried = DenialCache.QueriedFields(backend: harness.backend.name, fields: [])
        elsewhere.record(.edition(.first, reader, .daily, queried), .edition)
        for number in 0..<300 {
            elsewhere.record(
                .edition(try #require(EditionID("made-up-\(number)")), reader, .daily, queried), .edition)
        }
        latestFacts(facts.take()).forEach(denials.follow)
        #expect(try await harness.credentials(token).pair == nil)
        #expect(try await harness.credentials(token, EditionID.second.rawValue).pair != nil)
    }

    @Test("A newer fact of another process ends a session opened from the cache, and no other")
    func cachedSignIns() throws {
        let sessions = CachedSignInSessions(invalidates: { fact, cachedSignIns in
            cachedSignIns.names.contains { $0.subject == fact.id.subject }
        })
        func opened(_ identifier: UInt8, at timestamp: Date) throws -> CachedSignInSessions.Opened {
            CachedSignInSessions.Opened(
                publication: .daily, subscriber: reader(1), session: .random(from: .seeded(UInt64(identifier))),
                issuedAt: timestamp, openedAt: timestamp,
                cachedSignIns: [CachedSignIn(backend: "house", names: [.init(subject: [identifier], fingerprint: 1)])])
        }
        func fact(_ identifier: UInt8, at timestamp: Date) -> SharedFact {
            SharedFact(
                id: SharedFact.ID(kind: .credentials, backend: "house", subject: [identifier]), value: [],
                timestamp: timestamp, end: timestamp + 60)
        }
        let (before, after, other) = (
            try opened(1, at: .after(0)), try opened(1, at: .after(11)), try opened(2, at: .after(11))
        )
        let order = sessions.order
        for session in [before, after, other] { #expect(sessions.record(session, since: order)) }
        #expect(sessions.follow(fact(1, at: .after(10)), at: .after(12)) == [after])
        #expect(!sessions.record(after, since: order), "the fact arrived during the backend query")
        #expect(sessions.record(after, since: sessions.order))
        #expect(sessions.follow(fact(1, at: .after(10)), at: .after(100)).isEmpty, "an outdated fact")
    }
}
