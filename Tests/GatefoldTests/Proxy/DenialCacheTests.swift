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
        #expect(cache.count < 20)
    }

    @Test("Pitfall 23: a reader's state is not pushed out by as many fields as a client can make up")
    func fields() throws {
        let cache = DenialCache(share: 16)
        cache.note(try key(1), .suspended)
        for number in 0..<1_000 {
            cache.note(.reader(reader(1), .init(backend: "house", fields: Array("\(number)".utf8))), .suspended)
        }
        #expect(cache.wasDenied(try key(1, 7)))
        #expect(cache.count <= 17)
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

    @Test("an exhausted share is shared as a whole")
    func sharedAsAWhole() throws {
        let facts = Facts()
        let (one, other) = (DenialCache(share: 16, record: facts.add), DenialCache())
        for edition in 0..<1_000 { one.note(try key(1, edition), .edition) }
        let learnt = facts.take()
        #expect(Set(learnt.map(\.id)).count == 17)
        learnt.forEach(other.follow)
        #expect(other.wasDenied(try key(1, 77)))
        #expect(other.count == 1)
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
