import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Gatefold

@Suite("Denials that an outage does not undo")
struct DenialCacheTests {
    private static let asked = DenialCache.Asked(backend: "house", fields: [])

    private func reader(_ number: Int) -> SubscriberReference {
        ReferenceKey(.one).reference(to: Subscriber(backend: "house", key: "\(number)"))
    }

    private func key(_ number: Int, _ edition: Int? = nil) throws -> DenialCache.Key {
        guard let edition else { return .reader(reader(number), Self.asked) }
        return .edition(try #require(EditionID("made-up-\(edition)")), reader(number), .daily, Self.asked)
    }

    @Test("Pitfall 23: whoever asks for 200,000 made-up editions evicts nobody else's, and stays denied")
    func flood() throws {
        let cache = DenialCache(capacity: 2_000)
        cache.note(try key(1), .suspended)
        cache.note(try key(2, 1), .edition)
        cache.note(try key(3, 1), .edition)
        for edition in 0..<200_000 { cache.note(try key(3, edition + 10), .edition) }
        #expect(cache.wasDenied(try key(1, 5)))
        #expect(cache.wasDenied(try key(2, 1)))
        #expect(try !cache.wasDenied(key(2, 2)))
        #expect(cache.wasDenied(try key(3, 1)), "what was denied before the flood")
        #expect(cache.count < 160)
    }

    @Test("Pitfall 23: a reader's state is not pushed out by as many fields as a client can make up")
    func fields() throws {
        let cache = DenialCache(share: 16)
        cache.note(try key(1), .suspended)
        for number in 0..<1_000 {
            cache.note(.reader(reader(1), .init(backend: "house", fields: Array("\(number)".utf8))), .suspended)
        }
        #expect(cache.wasDenied(try key(1, 7)))
        #expect(cache.count <= 32)
    }

    @Test("when all shares together are too many, those denied least lately are forgotten")
    func capacity() throws {
        let cache = DenialCache(capacity: 100)
        for number in 0..<1_000 { cache.note(try key(number), .inactive) }
        #expect(cache.count <= 100)
        #expect(cache.wasDenied(try key(999)))
        #expect(try !cache.wasDenied(key(0)))
    }

    @Test("only an answer that was asked after a denial ends it")
    func order() throws {
        let cache = DenialCache()
        let before = cache.order
        cache.note(try key(1), .suspended)
        cache.note(try key(1), nil, asked: before)
        #expect(cache.wasDenied(try key(1)))
        cache.note(try key(1), nil, isEarlier: true)
        #expect(cache.wasDenied(try key(1)))
        cache.note(try key(1), nil, asked: cache.order)
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

    @Test("another process denies the same, and lets in again whom this one lets in")
    func shared() throws {
        let facts = Facts()
        let (one, other) = (DenialCache(record: facts.add), DenialCache())
        one.note(try key(1), .suspended)
        one.note(try key(2, 5), .edition)
        let learnt = facts.take()
        learnt.forEach(other.follow)
        #expect(other.wasDenied(try key(1, 9)))
        #expect(other.wasDenied(try key(2, 5)))
        #expect(try !other.wasDenied(key(2, 6)))
        #expect(learnt.compactMap(DenialCache.denied).map(\.denial) == [.suspended, .edition])
        #expect(learnt.compactMap(DenialCache.denied).map(\.edition?.rawValue) == [nil, "made-up-5"])
        one.note(try key(1), .suspended)
        #expect(facts.take().isEmpty, "known already")
        one.note(try key(1), nil)
        facts.take().forEach(other.follow)
        #expect(try !other.wasDenied(key(1, 9)))
    }

    @Test("Pitfall 21: what is on record is known to a process started with a wrong clock", arguments: [365.0, -365])
    func startWithWrongClock(days: TimeInterval) throws {
        let facts = Facts()
        let clock = ManualClock()
        let before = DenialCache(clock: clock.wall, record: facts.add)
        clock.advance(by: -40 * 86_400)
        before.note(try key(1), .suspended)
        clock.advance(by: 40 * 86_400)
        clock.step(by: days * 86_400)
        let after = DenialCache(clock: clock.wall)
        facts.take().forEach(after.follow)
        clock.step(by: -days * 86_400)
        #expect(after.wasDenied(try key(1, 9)))
    }

    /// What a store keeps of facts, in its order.
    private func kept(_ facts: [SharedFact]) -> [SharedFact] {
        var kept: [SharedFact] = []
        for fact in facts {
            let before = kept.first { $0.id == fact.id }
            kept.removeAll { fact.takesPlace(of: $0) }
            kept.append(
                SharedFact(
                    id: fact.id, value: before.map { fact.value(joinedWith: $0.value) } ?? fact.value,
                    moment: fact.moment, end: fact.end))
        }
        return kept
    }

    @Test("who was denied more editions than are held apart is denied these, and no other", arguments: [false, true])
    func many(isElsewhere: Bool) throws {
        let facts = Facts()
        let (one, other) = (DenialCache(record: facts.add), DenialCache())
        for edition in 0..<500 { one.note(try key(1, edition), .edition) }
        kept(facts.take()).forEach(other.follow)
        let cache = isElsewhere ? other : one
        for edition in 0..<500 { #expect(cache.wasDenied(try key(1, edition))) }
        for edition in 500..<520 { #expect(try !cache.wasDenied(key(1, edition))) }
    }

    @Test("many denied editions of one process take nothing from the record that another process was told")
    func apart() throws {
        let (facts, others) = (Facts(), Facts())
        let (one, other, restarted) = (
            DenialCache(record: facts.add), DenialCache(record: others.add), DenialCache()
        )
        other.note(try key(1, 900), .edition)
        for edition in 1_000..<1_300 { other.note(try key(1, edition), .edition) }
        for edition in 0..<300 { one.note(try key(1, edition), .edition) }
        let learnt = kept(others.take() + facts.take())
        #expect(learnt.count < 300)
        learnt.forEach(restarted.follow)
        for edition in Array(0..<300) + [900] + Array(1_000..<1_300) {
            #expect(restarted.wasDenied(try key(1, edition)), "\(edition)")
        }
    }

    @Test("of many denied editions a grant lets in to that one, here, elsewhere and after a restart")
    func granted() throws {
        let facts = Facts()
        let (one, other, restarted) = (DenialCache(record: facts.add), DenialCache(), DenialCache())
        for edition in 0..<500 { one.note(try key(1, edition), .edition) }
        var learnt = facts.take()
        let before = one.order
        one.note(try key(1, 9), .edition)
        one.note(try key(1, 7), nil, asked: before)
        #expect(one.wasDenied(try key(1, 7)), "asked before the last denial")
        one.note(try key(1, 7), nil)
        for edition in 500..<700 { one.note(try key(1, edition), .edition) }
        learnt += facts.take()
        learnt.forEach(other.follow)
        kept(learnt).forEach(restarted.follow)
        for cache in [one, other, restarted] {
            #expect(try !cache.wasDenied(key(1, 7)))
            #expect(cache.wasDenied(try key(1, 8)))
            #expect(cache.wasDenied(try key(1, 650)))
        }
        one.note(try key(1, 7), .edition)
        facts.take().forEach(other.follow)
        for cache in [one, other] { #expect(cache.wasDenied(try key(1, 7))) }
    }

    @Test("Pitfall 23: no grant makes good what was refused before a flood of made-up editions")
    func floodAndGrant() throws {
        let facts = Facts()
        let (one, other) = (DenialCache(record: facts.add), DenialCache())
        one.note(try key(1, 1), .edition)
        for edition in 10..<20_000 {
            one.note(try key(1, edition), .edition)
            if edition.isMultiple(of: 500) { one.note(try key(1, 2), nil) }
        }
        kept(facts.take()).forEach(other.follow)
        for cache in [one, other] {
            #expect(cache.wasDenied(try key(1, 1)))
            #expect(cache.wasEditionDenied(try key(1, 1)), "by what was known before as well")
        }
    }

    @Test("a denial of one of many editions that is known is not shared again")
    func sharedOnce() throws {
        let facts = Facts()
        let cache = DenialCache(record: facts.add)
        for edition in 0..<500 { cache.note(try key(1, edition), .edition) }
        #expect(facts.take().count < 510)
        for edition in 0..<500 { cache.note(try key(1, edition), .edition) }
        #expect(facts.take().isEmpty)
    }

    @Test("nothing of a person is shared but a reference")
    func pseudonyms() throws {
        let facts = Facts()
        let cache = DenialCache(record: facts.add)
        cache.note(try key(2), .suspended)
        #expect(facts.take().map(\.id.subject) == [reader(2).bytes])
    }

    @Test("Pitfall 23: an edition that the catalogue does not list leaves nothing behind")
    func unlisted() async throws {
        let denials = DenialCache()
        let catalogue = Catalogue([Edition(id: .first, title: "One", published: .after(-1))])
        let rig = ProxyRig(catalogue: catalogue, denials: denials) { $0.failsOpen = true }
        rig.backend.answer(Subscription(state: .active, entitlement: .nothing))
        let token = try await rig.token()
        for number in 0..<300 { #expect(try await rig.credentials(token, "made-up-\(number)").pair == nil) }
        #expect(denials.count == 0)
        #expect(try await rig.credentials(token).pair == nil)
        #expect(denials.count == 1)
        rig.backend.breakDown()
        #expect(try await rig.credentials(token, "made-up-1").pair == nil)
        #expect(try await rig.credentials(token).pair == nil)
    }

    @Test("an edition that another process was told is denied is not opened by an answer from before")
    func standIn() async throws {
        let facts = Facts()
        let elsewhere = DenialCache(record: facts.add)
        let denials = DenialCache()
        let rig = ProxyRig(denials: denials) { $0.failsOpen = true }
        rig.backend.answer { _ in
            StandIns.note()
            return Subscription(state: .active, entitlement: .editions([.first, .second]))
        }
        let token = try await rig.token()
        #expect(try await rig.credentials(token).pair != nil)
        let subscriber = try #require(rig.proxy.session(token: token)?.subscriber)
        let reader = ReferenceKey(.one).reference(to: subscriber)
        elsewhere.note(
            .edition(.first, reader, .daily, .init(backend: rig.backend.name, fields: [])), .edition)
        facts.take().forEach(denials.follow)
        #expect(try await rig.credentials(token).pair == nil)
        #expect(try await rig.credentials(token, EditionID.second.rawValue).pair != nil)
    }

    @Test("an edition that was refused elsewhere before many others is not opened by an answer from before")
    func standInAmongMany() async throws {
        let facts = Facts()
        let elsewhere = DenialCache(record: facts.add)
        let denials = DenialCache()
        let rig = ProxyRig(denials: denials) { $0.failsOpen = true }
        rig.backend.answer { _ in
            StandIns.note()
            return Subscription(state: .active, entitlement: .editions([.first, .second]))
        }
        let token = try await rig.token()
        let subscriber = try #require(rig.proxy.session(token: token)?.subscriber)
        let reader = ReferenceKey(.one).reference(to: subscriber)
        let asked = DenialCache.Asked(backend: rig.backend.name, fields: [])
        elsewhere.note(.edition(.first, reader, .daily, asked), .edition)
        for number in 0..<300 {
            elsewhere.note(
                .edition(try #require(EditionID("made-up-\(number)")), reader, .daily, asked), .edition)
        }
        kept(facts.take()).forEach(denials.follow)
        #expect(try await rig.credentials(token).pair == nil)
        #expect(try await rig.credentials(token, EditionID.second.rawValue).pair != nil)
    }

    @Test("a session that was opened from memory is ended by what another process learnt just before, and no other is")
    func recalled() throws {
        let sessions = RecalledSessions(undoes: { fact, recalled in
            recalled.names.contains { $0.subject == fact.id.subject }
        })
        func opened(_ identifier: UInt8, at moment: Date) throws -> RecalledSessions.Opened {
            RecalledSessions.Opened(
                publication: .daily, subscriber: reader(1), session: .random(from: .seeded(UInt64(identifier))),
                issuedAt: moment, openedAt: moment,
                recalled: [RecalledSignIn(backend: "house", names: [.init(subject: [identifier], mark: 1)])])
        }
        func fact(_ identifier: UInt8, at moment: Date) -> SharedFact {
            SharedFact(
                id: SharedFact.ID(kind: .credentials, backend: "house", subject: [identifier]), value: [],
                moment: moment, end: moment + 60)
        }
        let (before, after, other) = (
            try opened(1, at: .after(0)), try opened(1, at: .after(11)), try opened(2, at: .after(11))
        )
        let order = sessions.order
        for session in [before, after, other] { #expect(sessions.note(session, since: order)) }
        #expect(sessions.follow(fact(1, at: .after(10)), at: .after(12)) == [after])
        #expect(!sessions.note(after, since: order), "the news came while the backend was asked")
        #expect(sessions.note(after, since: sessions.order))
        #expect(sessions.follow(fact(1, at: .after(10)), at: .after(100)).isEmpty, "old news")
    }
}
