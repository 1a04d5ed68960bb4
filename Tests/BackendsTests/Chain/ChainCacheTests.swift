import Foundation
import Gatefold
import TestSupport
import Testing

@testable import Backends
@testable import Resilience

/// A chain's cached result must equal the result of a query to its members.
@Suite("Cached results of a chain") struct ChainCacheTests {
    private static let edition = EditionID("ed-1")!
    private static let editions = [edition, EditionID("ed-2")!]
    private static let ofA = Subscriber(backend: "a", key: "1")
    private static let ofB = Subscriber(backend: "b", key: "2")
    private static let retired = Subscriber(backend: "retired", key: "3")

    /// Two protected systems behind one chain.
    private struct Fixture {
        let time: ManualTime
        let systems: [FakeMember]
        let protected: [ProtectedBackend]
        let chain: ChainBackend
        /// A reader of both systems.
        let both: Subscriber

        init(varyingFields: Set<String> = []) throws {
            var settings = ProtectionSettings()
            // No revalidation in the background.
            settings.cache?.revalidateAfter = 60
            let time = ManualTime()
            let services = try testServices(clock: time.clock)
            let systems = [FakeMember("a"), FakeMember("b")]
            let protected = systems.map {
                ProtectedBackend(
                    $0, varyingFields: varyingFields, decidesEditions: true, settings: settings, services: services,
                    sleep: time.sleep)
            }
            chain = ChainCacheTests.chain(protected)
            both = try ChainBackend.joining([ChainCacheTests.ofA, ChainCacheTests.ofB])
            self.time = time
            self.systems = systems
            self.protected = protected
        }

        var now: Date { time.clock.now }

        func cached(_ query: BackendQuery) -> Cached<BackendResult>? {
            ChainCacheTests.cached(query, by: chain)
        }

        /// Queries both systems, each about its own reader.
        func prime(_ queries: [(Subscriber) -> BackendQuery]) async throws {
            for (backend, subscriber) in zip(protected, [ChainCacheTests.ofA, ChainCacheTests.ofB]) {
                for query in queries { _ = try await query(subscriber).put(to: backend, CallContext()) }
            }
        }
    }

    private static func chain(_ members: [any SubscriberBackend], name: String = "chain") -> ChainBackend {
        ChainBackend(
            name: name, members: members.map { ChainMember(backend: $0, rule: ChainRule(authenticated: .next)) },
            order: .inOrder, lazyMigration: nil)
    }

    private static func cached(
        _ query: BackendQuery, by backend: any SubscriberBackend, _ context: CallContext = CallContext()
    ) -> Cached<BackendResult>? {
        switch query {
        case .subscription(let subscriber):
            let known = backend.cachedSubscription(of: subscriber, context: context)
            return known.map { Cached(BackendResult.subscription($0.value), validity: $0.validity) }
        case .verdict(let edition?, let subscriber):
            let known = backend.cachedVerdict(on: edition, for: subscriber, context: context)
            return known.map { known in
                var verdict: EditionVerdict?
                if case .verdict(let own) = known.value { verdict = own }
                return Cached(BackendResult.verdict(verdict), validity: known.validity)
            }
        default: return nil
        }
    }

    @Test("A result is cached once every queried member has cached its own, and no member is queried for it")
    func all() async throws {
        let fixture = try Fixture()
        let (first, second) = (fixture.protected[0], fixture.protected[1])
        let queries = { (reader: Subscriber) in [BackendQuery.subscription(reader), .verdict(Self.edition, reader)] }
        for query in queries(Self.ofA) { _ = try await query.put(to: first, CallContext()) }
        #expect(queries(Self.ofA).allSatisfy { fixture.cached($0) != nil })
        #expect(queries(Self.ofB).allSatisfy { fixture.cached($0) == nil })
        #expect(queries(fixture.both).allSatisfy { fixture.cached($0) == nil })
        for query in queries(Self.ofB) { _ = try await query.put(to: second, CallContext()) }
        for query in queries(Self.ofA) + queries(Self.ofB) + queries(fixture.both) {
            let known = try #require(fixture.cached(query))
            #expect(try await query.put(to: fixture.chain, CallContext()) == known.value)
        }
        #expect(fixture.systems.map(\.queried.count) == [2, 2])
    }

    @Test("A chain's cached result ends when any member's result is invalidated", arguments: 0..<2 as Range<Int>)
    func removed(member: Int) async throws {
        let fixture = try Fixture()
        try await fixture.prime([BackendQuery.subscription, { .verdict(Self.edition, $0) }])
        let queries = [BackendQuery.subscription(fixture.both), .verdict(Self.edition, fixture.both)]
        let known = try queries.map { try #require(fixture.cached($0)) }
        let other = try #require(fixture.cached(.subscription([Self.ofB, Self.ofA][member])))
        #expect(known.allSatisfy { $0.validity.holds(at: fixture.now) })
        fixture.protected[member].flush(.key(["1", "2"][member]))
        #expect(known.allSatisfy { !$0.validity.holds(at: fixture.now) })
        #expect(queries.allSatisfy { fixture.cached($0) == nil })
        #expect(other.validity.holds(at: fixture.now))
    }

    @Test("A chain's cached result ends with the first member's result that expires")
    func until() async throws {
        let fixture = try Fixture()
        fixture.systems[1].change { $0.subscription = { _ in Subscription(state: .inactive) } }
        try await fixture.prime([BackendQuery.subscription])
        let known = try #require(fixture.cached(.subscription(fixture.both)))
        fixture.time.advance(by: 4.75)
        #expect(known.validity.holds(at: fixture.now))
        // An inactive subscription is cached for five seconds, an active one for most of a minute.
        fixture.time.advance(by: 0.5)
        #expect(!known.validity.holds(at: fixture.now) && fixture.cached(.subscription(fixture.both)) == nil)
        #expect(fixture.cached(.subscription(Self.ofA)) != nil)
    }

    @Test("Readers of a member without a cache have no cached result")
    func unprotected() async throws {
        let fixture = try Fixture()
        let chain = Self.chain([fixture.protected[0], fixture.systems[1]])
        for reader in [Self.ofA, Self.ofB, fixture.both] {
            for query in [BackendQuery.subscription(reader), .verdict(Self.edition, reader)] {
                _ = try await query.put(to: chain, CallContext())
                #expect((Self.cached(query, by: chain) != nil) == (reader == Self.ofA), "\(query)")
            }
        }
    }

    @Test("A reader of a retired member gets the cached result without a query")
    func gone() async throws {
        let fixture = try Fixture()
        for query in [BackendQuery.subscription(Self.retired), .verdict(Self.edition, Self.retired)] {
            let known = try #require(fixture.cached(query))
            #expect(try await query.put(to: fixture.chain, CallContext()) == known.value)
        }
    }

    @Test("A cached verdict combines all members' verdicts and needs cached subscriptions where they decide")
    func verdicts() async throws {
        let inner = Subscription(state: .active, message: "inner")
        let verdicts: [EditionVerdict?] = [
            .granted, .rejected(.notEntitled, message: "refused"), nil,
            .deferred([inner], otherwise: .expired, message: "left"),
        ]
        for first in verdicts {
            for second in verdicts {
                let fixture = try Fixture()
                for (system, verdict) in zip(fixture.systems, [first, second]) {
                    system.change {
                        $0.verdict = { _ in verdict }
                        $0.subscription = { Subscription(state: .active, message: $0.backend) }
                    }
                }
                let query = BackendQuery.verdict(Self.edition, fixture.both)
                let name = Comment(rawValue: "\(String(describing: first)), \(String(describing: second))")
                try await fixture.prime([{ .verdict(Self.edition, $0) }])
                let isDeferredToUndecided =
                    [first, second].contains(nil) && first != second
                    && ![first, second].contains(EditionVerdict.granted)
                #expect((fixture.cached(query) == nil) == isDeferredToUndecided, name)
                try await fixture.prime([BackendQuery.subscription])
                let known = try #require(fixture.cached(query), name)
                #expect(try await query.put(to: fixture.chain, CallContext()) == known.value, name)
                #expect(known.validity.holds(at: fixture.now), name)
                fixture.protected[1].flush(.all)
                #expect(!known.validity.holds(at: fixture.now), name)
            }
        }
    }

    @Test("A chain of chains has cached results, too")
    func nested() async throws {
        let fixture = try Fixture()
        let outer = Self.chain([FakeMember("c"), fixture.chain], name: "outer")
        let query = BackendQuery.subscription(fixture.both)
        #expect(Self.cached(query, by: outer) == nil)
        let queried = try await query.put(to: outer, CallContext())
        #expect(Self.cached(query, by: outer)?.value == queried)
    }

    @Test("A cached result applies to requests with equal varying fields only")
    func fields() async throws {
        let fixture = try Fixture(varyingFields: ["device"])
        let (one, another) = (CallContext(fields: ["device": "one"]), CallContext(fields: ["device": "another"]))
        let query = BackendQuery.subscription(fixture.both)
        _ = try await query.put(to: fixture.chain, one)
        #expect(Self.cached(query, by: fixture.chain, one) != nil)
        #expect(Self.cached(query, by: fixture.chain, another) == nil)
    }

    @Test("A valid cached result equals the result of a query", arguments: 0..<20 as Range<UInt64>)
    func same(seed: UInt64) async throws {
        let fixture = try Fixture()
        var random = SeededRandom(seed: seed)
        let readers = [Self.ofA, Self.ofB, fixture.both, Self.retired]
        let queries = readers.flatMap { reader in
            [BackendQuery.subscription(reader)] + Self.editions.map { BackendQuery.verdict($0, reader) }
        }
        var stored: [(query: BackendQuery, known: Cached<BackendResult>)] = []
        var compared = 0
        for _ in 0..<300 {
            await change(fixture, readers, &random)
            let query = try #require(queries.randomElement(using: &random))
            if Bool.random(using: &random) { _ = try? await query.put(to: fixture.chain, CallContext()) }
            if let known = fixture.cached(query) { stored.append((query, known)) }
            stored = stored.suffix(12).filter { $0.known.validity.holds(at: fixture.now) }
            for (query, known) in stored {
                let queried = try? await query.put(to: fixture.chain, CallContext())
                // A query that was cancelled because another member granted may have completed meanwhile.
                guard known.validity.holds(at: fixture.now) else { continue }
                #expect(queried == known.value, "seed \(seed): \(query)")
                compared += 1
            }
        }
        #expect(compared > 100)
    }

    /// Occasionally changes the members' results, the time or the caches.
    private func change(_ fixture: Fixture, _ readers: [Subscriber], _ random: inout SeededRandom) async {
        let member = Int.random(in: 0..<2, using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1:
            let reported = Subscription(
                state: SubscriptionState.allCases.randomElement(using: &random) ?? .active,
                message: "\(Int.random(in: 0..<1000, using: &random))",
                entitlement: .editions(Set(Self.editions.filter { _ in Bool.random(using: &random) })))
            let verdicts: [EditionVerdict?] = [
                .granted, .rejected(.notEntitled, message: reported.message), nil,
                .deferred([reported], otherwise: .expired, message: reported.message),
            ]
            let verdict = verdicts[Int.random(in: 0..<verdicts.count, using: &random)]
            let isDown = Int.random(in: 0..<8, using: &random) == 0
            fixture.systems[member].change {
                $0.subscription = { _ in
                    if isDown { throw FakeMember.UnavailableError() }
                    return reported
                }
                $0.verdict = { _ in
                    if isDown { throw FakeMember.UnavailableError() }
                    return verdict
                }
            }
        case 2: fixture.time.advance(by: [0.5, 4, 20].randomElement(using: &random) ?? 1)
        case 3:
            let targets: [FlushTarget] = [.all, .key("1"), .key("2")]
            fixture.protected[member].flush(targets.randomElement(using: &random) ?? .all)
        case 4:
            try? await fixture.chain.signOut(readers.randomElement(using: &random) ?? Self.ofA, context: CallContext())
        default: break
        }
    }
}
