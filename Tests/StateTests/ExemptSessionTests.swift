import Commerce
import Foundation
import Gatefold
import State
import TestSupport
import Testing

@Suite("Revocation that exempts a session", .stateServers) struct ExemptSessionTests {
    private static func session(_ number: UInt8) -> SessionPseudonym {
        SessionPseudonym(bytes: [number, 0, 0, number])!
    }

    private func subject(_ number: UInt8, _ issued: TimeInterval) -> SaltSubject {
        SaltSubject(subscriber: subscriber(1), session: Self.session(number), issuedAt: noon + issued)
    }

    private func makeRevocation(
        _ before: TimeInterval, exempting number: UInt8? = nil, issued: TimeInterval = 0
    ) -> Revocation {
        Revocation(
            publication: daily, subscriber: subscriber(1), session: nil, before: noon + before,
            exempt: number.map { ExemptSession(session: Self.session($0), issuedAt: noon + issued) })
    }

    @Test(
        "Ends all other earlier sessions and an older one of the exempt device",
        arguments: TestedStore<any RevocationStore & StateRetention>.all)
    func exempt(kind: TestedStore<any RevocationStore & StateRetention>) async throws {
        try await kind.with { store async throws in
            try await store.record(makeRevocation(10, exempting: 1, issued: 5))
            let list = try await followed(store)
            #expect(!list.isRevoked(subject(1, 5)) && !list.isRevoked(subject(1, 9)))
            #expect(list.isRevoked(subject(1, 4)) && list.isRevoked(subject(2, 5)) && list.isRevoked(subject(2, 9)))
            #expect(!list.isRevoked(subject(2, 10)))
        }
    }

    @Test(
        "Followers receive a revocation again under a new sequence number only when it ends more",
        arguments: TestedStore<any RevocationStore & StateRetention>.all)
    func following(kind: TestedStore<any RevocationStore & StateRetention>) async throws {
        try await kind.with { store async throws in
            try await store.record(makeRevocation(10, exempting: 1, issued: 5))
            let first = try #require(try await store.revocations(after: 0).last).sequence
            try await store.record(makeRevocation(10, exempting: 1, issued: 5))
            try await store.record(makeRevocation(5))
            #expect(try await store.revocations(after: first).isEmpty)
            // The same boundary without an exempt session.
            try await store.record(makeRevocation(10))
            let second = try #require(try await store.revocations(after: first).last)
            #expect(second.revocation == makeRevocation(10))
            // A revocation that exempts a session restores none.
            try await store.record(makeRevocation(10, exempting: 1, issued: 5))
            try await store.record(makeRevocation(9, exempting: 2, issued: 1))
            #expect(try await store.revocations(after: second.sequence).isEmpty)
            #expect(try await store.revocations(after: 0).count == 1)
        }
    }

    @Test(
        "Two revocations that exempt different sessions end both",
        arguments: TestedStore<any RevocationStore & StateRetention>.all)
    func different(kind: TestedStore<any RevocationStore & StateRetention>) async throws {
        try await kind.with { store async throws in
            try await store.record(makeRevocation(10, exempting: 1, issued: 5))
            try await store.record(makeRevocation(10, exempting: 2, issued: 5))
            #expect(try await store.revocations(after: 0).map(\.revocation) == [makeRevocation(10)])
        }
    }

    @Test("A revocation of all sessions with an exempt one removes the links of its subscriber too")
    func links() async throws {
        try await TestedStore<any PersonLedger & RevocationStore>.withEach({ $0 }) { store async throws in
            let reference = SubscriberPseudonym(bytes: buyer(100).bytes.prefix(SubscriberPseudonym.size))!
            try await store.link(buyer(1), to: buyer(100))
            try await store.record(
                Revocation(
                    publication: daily, subscriber: reference,
                    exempting: ExemptSession(session: Self.session(1), issuedAt: noon), at: noon))
            #expect(try await store.subscriber(linkedWith: buyer(1)) == nil)
        }
    }

    /// Returns the revocation list of a node that received everything from the store.
    private func followed(_ store: any RevocationStore & StateRetention) async throws -> RevocationList {
        let lists = RevocationLists()
        try await RevocationFollower(store: store, lists: lists).catchUp()
        return lists.list(for: daily)
    }

    @Test(
        "In any order of revocations, every node and every store ends the same sessions and restores none",
        arguments: TestedStore<any RevocationStore & StateRetention>.all)
    func property(kind: TestedStore<any RevocationStore & StateRetention>) async throws {
        var random = SeededRandom(seed: 50)
        try await kind.with { store async throws in
            for round in 0..<(kind.isVolatile ? 200 : 40) {
                let pseudonym = SubscriberPseudonym(bytes: [0, 0, 0, 0, 0, UInt8(round / 256), UInt8(round % 256)])!
                var recorded: [Revocation] = []
                let alongside = RevocationList(publication: daily)
                var ended: Set<Probe> = []
                for _ in 0..<Int.random(in: 1...8, using: &random) {
                    let scope = UInt8.random(in: 0...3, using: &random)
                    let before = Int.random(in: 0...8, using: &random)
                    let isExempting = scope == 0 && Bool.random(using: &random)
                    let revocation = Revocation(
                        publication: daily, subscriber: pseudonym, session: scope == 0 ? nil : Self.session(scope),
                        before: noon + Double(before),
                        exempt: isExempting
                            ? ExemptSession(
                                session: Self.session(UInt8.random(in: 1...3, using: &random)),
                                issuedAt: noon + Double(Int.random(in: 0...8, using: &random))) : nil)
                    recorded.append(revocation)
                    alongside.add(revocation)
                    try await store.record(revocation)
                    for probe in Probe.all where alongside.isRevoked(probe.subject(of: pseudonym)) {
                        ended.insert(probe)
                    }
                    let present = Set(Probe.all.filter { alongside.isRevoked($0.subject(of: pseudonym)) })
                    #expect(present == ended, "an ended session is valid again")
                }
                let inAnotherOrder = RevocationList(publication: daily)
                recorded.shuffled(using: &random).forEach { inAnotherOrder.add($0) }
                let records = try await store.revocations(after: 0).map(\.revocation).filter {
                    $0.subscriber == pseudonym
                }
                let fromStore = RevocationList(publication: daily)
                records.forEach { fromStore.add($0) }
                for probe in Probe.all {
                    let expected = recorded.contains { probe.hasEnded(by: $0) }
                    let subject = probe.subject(of: pseudonym)
                    for list in [alongside, inAnotherOrder, fromStore] {
                        #expect(list.isRevoked(subject) == expected, "\(probe) \(recorded)")
                    }
                }
            }
        }
    }

    /// A session, and the result of a straightforward evaluation of revocations for it.
    private struct Probe: Hashable {
        let session: UInt8
        let issued: Int

        static let all = (1...3).flatMap { session in (0...9).map { Probe(session: UInt8(session), issued: $0) } }

        func subject(of subscriber: SubscriberPseudonym) -> SaltSubject {
            SaltSubject(
                subscriber: subscriber, session: ExemptSessionTests.session(session), issuedAt: noon + Double(issued))
        }

        func hasEnded(by revocation: Revocation) -> Bool {
            let own = ExemptSessionTests.session(session)
            let timestamp = noon + Double(issued)
            guard revocation.session == nil || revocation.session == own, timestamp < revocation.before else {
                return false
            }
            guard let exempt = revocation.exempt else { return true }
            return exempt.session != own || timestamp < exempt.issuedAt
        }
    }
}
