import Foundation
import Gatefold
import State
import TestSupport
import Testing

@Suite("A revocation that spares a session") struct SparedSessionTests {
    private static func session(_ number: UInt8) -> SessionReference {
        SessionReference(bytes: [number, 0, 0, number])!
    }

    private func holder(_ number: UInt8, _ issued: TimeInterval) -> SaltHolder {
        SaltHolder(subscriber: subscriber(1), session: Self.session(number), issuedAt: noon + issued)
    }

    private func ending(
        _ before: TimeInterval, sparing number: UInt8? = nil, issued: TimeInterval = 0
    ) -> Revocation {
        Revocation(
            publication: daily, subscriber: subscriber(1), session: nil, before: noon + before,
            spared: number.map { SparedSession(session: Self.session($0), issuedAt: noon + issued) })
    }

    @Test("ends all others that began before it, and an earlier one of the same device", arguments: StoreKind.allCases)
    func spared(kind: StoreKind) async throws {
        try await kind.with { store async throws in
            try await store.record(ending(10, sparing: 1, issued: 5))
            let list = try await followed(store)
            #expect(!list.isRevoked(holder(1, 5)) && !list.isRevoked(holder(1, 9)))
            #expect(list.isRevoked(holder(1, 4)) && list.isRevoked(holder(2, 5)) && list.isRevoked(holder(2, 9)))
            #expect(!list.isRevoked(holder(2, 10)))
        }
    }

    @Test(
        "reaches those who follow under a new number as soon as it ends more, and only then",
        arguments: StoreKind.allCases)
    func following(kind: StoreKind) async throws {
        try await kind.with { store async throws in
            try await store.record(ending(10, sparing: 1, issued: 5))
            let first = try #require(try await store.revocations(after: 0).last).sequence
            try await store.record(ending(10, sparing: 1, issued: 5))
            try await store.record(ending(5))
            #expect(try await store.revocations(after: first).isEmpty)
            // The same boundary, and nobody spared.
            try await store.record(ending(10))
            let second = try #require(try await store.revocations(after: first).last)
            #expect(second.revocation == ending(10))
            // One that spares somebody brings nobody back.
            try await store.record(ending(10, sparing: 1, issued: 5))
            try await store.record(ending(9, sparing: 2, issued: 1))
            #expect(try await store.revocations(after: second.sequence).isEmpty)
            #expect(try await store.revocations(after: 0).count == 1)
        }
    }

    @Test("Two at once that spare different sessions end both", arguments: StoreKind.allCases)
    func different(kind: StoreKind) async throws {
        try await kind.with { store async throws in
            try await store.record(ending(10, sparing: 1, issued: 5))
            try await store.record(ending(10, sparing: 2, issued: 5))
            #expect(try await store.revocations(after: 0).map(\.revocation) == [ending(10)])
        }
    }

    @Test("ends the links of its subscriber in the embedded store, as every one of all sessions does")
    func links() async throws {
        try await FullStore.sqlite.with { store async throws in
            let reference = SubscriberReference(bytes: buyer(100).bytes.prefix(SubscriberReference.size))!
            try await store.link(buyer(1), to: buyer(100))
            try await store.record(
                Revocation(
                    publication: daily, subscriber: reference,
                    sparing: SparedSession(session: Self.session(1), issuedAt: noon), at: noon))
            #expect(try await store.subscriber(linkedWith: buyer(1)) == nil)
        }
    }

    /// What a node knows that has heard everything from the store alone.
    private func followed(_ store: any SessionStore) async throws -> RevocationList {
        let lists = RevocationLists()
        try await RevocationFollower(store: store, lists: lists).catchUp()
        return lists.list(for: daily)
    }

    @Test(
        "In whatever order revocations come, every node and every store ends what any of them ends, and nothing comes back",
        arguments: StoreKind.allCases)
    func property(kind: StoreKind) async throws {
        var random = SeededRandom(seed: 50)
        try await kind.with { store async throws in
            for round in 0..<(kind == .volatile ? 200 : 40) {
                let who = SubscriberReference(bytes: [0, 0, 0, 0, 0, UInt8(round / 256), UInt8(round % 256)])!
                var recorded: [Revocation] = []
                let beside = RevocationList(publication: daily)
                var ended: Set<Probe> = []
                for _ in 0..<Int.random(in: 1...8, using: &random) {
                    let scope = UInt8.random(in: 0...3, using: &random)
                    let before = Int.random(in: 0...8, using: &random)
                    let isSparing = scope == 0 && Bool.random(using: &random)
                    let revocation = Revocation(
                        publication: daily, subscriber: who, session: scope == 0 ? nil : Self.session(scope),
                        before: noon + Double(before),
                        spared: isSparing
                            ? SparedSession(
                                session: Self.session(UInt8.random(in: 1...3, using: &random)),
                                issuedAt: noon + Double(Int.random(in: 0...8, using: &random))) : nil)
                    recorded.append(revocation)
                    beside.add(revocation)
                    try await store.record(revocation)
                    for probe in Probe.all where beside.isRevoked(probe.holder(of: who)) { ended.insert(probe) }
                    let present = Set(Probe.all.filter { beside.isRevoked($0.holder(of: who)) })
                    #expect(present == ended, "something came back")
                }
                let inAnotherOrder = RevocationList(publication: daily)
                recorded.shuffled(using: &random).forEach { inAnotherOrder.add($0) }
                let records = try await store.revocations(after: 0).map(\.revocation).filter { $0.subscriber == who }
                let fromStore = RevocationList(publication: daily)
                records.forEach { fromStore.add($0) }
                for probe in Probe.all {
                    let expected = recorded.contains { probe.isEnded(by: $0) }
                    let holder = probe.holder(of: who)
                    for list in [beside, inAnotherOrder, fromStore] {
                        #expect(list.isRevoked(holder) == expected, "\(probe) \(recorded)")
                    }
                }
            }
        }
    }

    /// A session, and what a plain reading of revocations says of it.
    private struct Probe: Hashable {
        let session: UInt8
        let issued: Int

        static let all = (1...3).flatMap { session in (0...9).map { Probe(session: UInt8(session), issued: $0) } }

        func holder(of subscriber: SubscriberReference) -> SaltHolder {
            SaltHolder(
                subscriber: subscriber, session: SparedSessionTests.session(session), issuedAt: noon + Double(issued))
        }

        func isEnded(by revocation: Revocation) -> Bool {
            let own = SparedSessionTests.session(session)
            let moment = noon + Double(issued)
            guard revocation.session == nil || revocation.session == own, moment < revocation.before else {
                return false
            }
            guard let spared = revocation.spared else { return true }
            return spared.session != own || moment < spared.issuedAt
        }
    }
}
