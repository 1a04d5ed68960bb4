import Foundation
import Gatefold
import TestSupport
import Testing

@testable import Backends
@testable import Resilience

/// A chain has no cache of its own: its results come from the cached results of its members.
@Suite("Cached results of a chain") struct ChainCacheTests {
    private static let edition = EditionID("ed-1")!
    private static let ofA = Subscriber(backend: "a", key: "1")
    private static let ofB = Subscriber(backend: "b", key: "2")
    private static let retired = Subscriber(backend: "retired", key: "3")

    private enum Result: Equatable {
        case subscription(Subscription)
        case verdict(EditionVerdict?)
    }

    /// Returns the results of both queries about a reader.
    private static func results(
        _ reader: Subscriber, by backend: any EditionDecidingBackend, _ context: CallContext = CallContext()
    ) async throws -> [Result] {
        [
            .subscription(try await backend.subscription(of: reader, context: context).value),
            .verdict(try await backend.verdict(on: edition, for: reader, context: context).value),
        ]
    }

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

        /// The number of queries that each system received.
        var queried: [Int] { systems.map(\.queried.count) }

        /// Queries both systems, each about its own reader.
        func prime() async throws {
            for (backend, reader) in zip(protected, [ChainCacheTests.ofA, ChainCacheTests.ofB]) {
                _ = try await ChainCacheTests.results(reader, by: backend)
            }
        }
    }

    private static func chain(_ members: [any SubscriberBackend], name: String = "chain") -> ChainBackend {
        ChainBackend(
            name: name, members: members.map { ChainMember(backend: $0, rule: ChainRule(authenticated: .next)) },
            order: .inOrder, lazyMigration: nil)
    }

    @Test("Only members without a cached result are queried")
    func all() async throws {
        let fixture = try Fixture()
        _ = try await Self.results(Self.ofA, by: fixture.protected[0])
        _ = try await Self.results(Self.ofA, by: fixture.chain)
        #expect(fixture.queried == [2, 0])
        let results = try await Self.results(fixture.both, by: fixture.chain)
        #expect(fixture.queried == [2, 2])
        #expect(try await Self.results(fixture.both, by: fixture.chain) == results)
        #expect(
            try await Self.results(Self.ofB, by: fixture.chain)
                == Self.results(Self.ofB, by: fixture.protected[1]))
        #expect(fixture.queried == [2, 2])
    }

    @Test("A query whose members have cached results finishes without a suspension")
    func suspension() async throws {
        let fixture = try Fixture()
        try await fixture.prime()
        for reader in [Self.ofA, fixture.both] {
            let results = Locked<[Result]>([])
            let task = Task.immediate {
                let found = try await Self.results(reader, by: fixture.chain)
                results.withLock { $0 = found }
            }
            #expect(results.withLock(\.count) == 2, "\(reader)")
            try await task.value
        }
        #expect(fixture.queried == [2, 2])
    }

    @Test("A member is queried again when its result is invalidated", arguments: 0..<2 as Range<Int>)
    func removed(member: Int) async throws {
        let fixture = try Fixture()
        try await fixture.prime()
        fixture.protected[member].flush(.key(["1", "2"][member]))
        _ = try await Self.results([Self.ofB, Self.ofA][member], by: fixture.chain)
        #expect(fixture.queried == [2, 2])
        _ = try await Self.results(fixture.both, by: fixture.chain)
        #expect(fixture.queried == [[4, 2], [2, 4]][member])
    }

    @Test("A member is queried again when its result expires")
    func until() async throws {
        let fixture = try Fixture()
        fixture.systems[1].change { $0.subscription = { _ in Subscription(state: .inactive) } }
        try await fixture.prime()
        fixture.time.advance(by: 4.75)
        _ = try await Self.results(fixture.both, by: fixture.chain)
        #expect(fixture.queried == [2, 2])
        // An inactive subscription is cached for five seconds, an active one and a verdict for most of a minute.
        fixture.time.advance(by: 0.5)
        _ = try await Self.results(fixture.both, by: fixture.chain)
        // The repeated denial removes the member's verdict as well.
        #expect(fixture.queried == [2, 4])
    }

    @Test("A result is as fresh as that of the least fresh member")
    func freshness() async throws {
        let fixture = try Fixture()
        func freshness(_ reader: Subscriber) async throws -> [Freshness] {
            [
                try await fixture.chain.subscription(of: reader, context: CallContext()).freshness,
                try await fixture.chain.verdict(on: Self.edition, for: reader, context: CallContext()).freshness,
            ]
        }
        try await fixture.prime()
        #expect(try await freshness(fixture.both) == [.cached, .cached])
        fixture.systems[1].change {
            $0.subscription = { _ in throw FakeMember.UnavailableError() }
            $0.verdict = { _ in throw FakeMember.UnavailableError() }
        }
        fixture.time.advance(by: 61)
        #expect(try await freshness(fixture.both) == [.stale, .stale])
        #expect(try await freshness(Self.ofA) == [.cached, .cached])
    }

    @Test("A member without a cache is queried each time")
    func unprotected() async throws {
        let fixture = try Fixture()
        let chain = Self.chain([fixture.protected[0], fixture.systems[1]])
        for number in 1...3 {
            _ = try await Self.results(fixture.both, by: chain)
            #expect(fixture.queried == [2, 2 * number])
        }
    }

    @Test("A reader of a retired member gets a result without a query")
    func gone() async throws {
        let fixture = try Fixture()
        #expect(
            try await Self.results(Self.retired, by: fixture.chain)
                == [.subscription(Subscription(state: .unknown)), .verdict(nil)])
        #expect(fixture.queried == [0, 0])
    }

    @Test("A verdict combines the members' cached verdicts and subscriptions like fresh ones")
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
                let name = Comment(rawValue: "\(String(describing: first)), \(String(describing: second))")
                let fresh = try await Self.results(fixture.both, by: Self.chain(fixture.systems))
                try await fixture.prime()
                let before = fixture.queried
                #expect(try await Self.results(fixture.both, by: fixture.chain) == fresh, name)
                #expect(fixture.queried == before, name)
            }
        }
    }

    @Test("A chain of chains uses cached results, too")
    func nested() async throws {
        let fixture = try Fixture()
        let outer = Self.chain([FakeMember("c"), fixture.chain], name: "outer")
        let results = try await Self.results(fixture.both, by: outer)
        #expect(fixture.queried == [2, 2])
        #expect(try await Self.results(fixture.both, by: outer) == results)
        #expect(fixture.queried == [2, 2])
    }

    @Test("A cached result applies to requests with equal varying fields only")
    func fields() async throws {
        let fixture = try Fixture(varyingFields: ["device"])
        let (one, another) = (CallContext(fields: ["device": "one"]), CallContext(fields: ["device": "another"]))
        for _ in 0..<2 { _ = try await Self.results(fixture.both, by: fixture.chain, one) }
        #expect(fixture.queried == [2, 2])
        _ = try await Self.results(fixture.both, by: fixture.chain, another)
        #expect(fixture.queried == [4, 4])
    }
}
