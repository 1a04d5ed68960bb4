import Foundation
import Gatefold
import TestSupport
import Testing

@testable import Backends
@testable import Resilience

/// A cached result is served without a query until something ends it.
@Suite("Cached results")
struct CachedResultsTests {
    @Test("A result is served from the cache while it is fresh, and only to its reader")
    func fresh() async throws {
        let fixture = ProtectedBackendFixture()
        let queried = try await fixture.subscription()
        #expect(try await fixture.subscription() == queried)
        #expect(fixture.probe.queried == ["subscription"])
        _ = try await fixture.subscription(of: ProtectedBackendFixture.bob)
        #expect(fixture.probe.queried.count == 2)
        fixture.time.advance(by: 86_400)
        _ = try await fixture.subscription()
        #expect(fixture.probe.queried.count == 3)
    }

    @Test("A result states its freshness")
    func freshness() async throws {
        let fixture = ProtectedBackendFixture()
        func freshness() async throws -> Freshness {
            try await fixture.backend.subscription(of: ProtectedBackendFixture.ada, context: CallContext()).freshness
        }
        #expect(try await freshness() == .live)
        #expect(try await freshness() == .cached)
        fixture.time.advance(by: 7_200)
        fixture.probe.follow(ProbeBackend.down)
        #expect(try await freshness() == .stale)
    }

    @Test("A sign-in result from the cache names what can invalidate it, and a live one names nothing")
    func signIns() async throws {
        let fixture = ProtectedBackendFixture()
        let credentials = fixture.credentials("ada", "right")
        let live = try await fixture.backend.authenticate(credentials, context: CallContext())
        #expect(live.cachedSignIns.isEmpty)
        let cached = try await fixture.backend.authenticate(credentials, context: CallContext())
        #expect(cached.value == live.value && cached.freshness == .cached)
        #expect(cached.cachedSignIns.map(\.backend) == ["house"])
        #expect(cached.cachedSignIns.first?.names.count == 2)
    }

    @Test("A cached result is served without a suspension")
    func suspension() async throws {
        let fixture = ProtectedBackendFixture()
        _ = try await fixture.subscription()
        _ = try await fixture.verdict()
        let served = Locked(0)
        let task = Task.immediate {
            _ = try await fixture.subscription()
            _ = try await fixture.verdict()
            served.withLock { $0 = 2 }
        }
        #expect(served.withLock { $0 } == 2)
        try await task.value
    }

    @Test("A result that was served to bridge an outage is not cached again")
    func outage() async throws {
        let fixture = ProtectedBackendFixture()
        _ = try await fixture.subscription()
        fixture.time.advance(by: 7_200)
        fixture.probe.follow(ProbeBackend.down)
        for count in 2...3 {
            _ = try await fixture.subscription()
            #expect(fixture.probe.queried.count == count)
        }
    }

    @Test("The cached verdict is the backend's verdict, or records that there is none")
    func verdicts() async throws {
        let fixture = ProtectedBackendFixture()
        for _ in 0..<2 { #expect(try await fixture.verdict() == .granted) }
        fixture.probe.follow { _, _ in .verdict(nil) }
        fixture.time.advance(by: 86_400)
        for _ in 0..<2 { #expect(try await fixture.verdict() == nil) }
        #expect(fixture.probe.queried == ["verdict", "verdict"])
    }

    @Test("The backend is queried again as soon as the cached result is invalidated", arguments: ResultLoss.allCases)
    func removed(loss: ResultLoss) async throws {
        let fixture = ProtectedBackendFixture(varyingFields: ["device"]) { $0.cache?.memory = 20_000 }
        _ = try await fixture.authenticate("ada")
        _ = try await fixture.subscription()
        _ = try await fixture.verdict()
        try await loss.happen(to: fixture)
        fixture.probe.follow(ProbeBackend.friendly)
        let before = fixture.probe.queried.count
        _ = try await fixture.subscription()
        _ = try await fixture.verdict()
        let queried = fixture.probe.queried.dropFirst(before)
        #expect(queried == (loss == .deniedEdition ? ["verdict"] : ["subscription", "verdict"]), "\(loss)")
    }

    @Test("A cached result is unaffected by the invalidation of other readers' results")
    func others() async throws {
        let fixture = ProtectedBackendFixture()
        _ = try await fixture.subscription()
        _ = try await fixture.subscription(of: ProtectedBackendFixture.bob)
        try await fixture.backend.signOut(ProtectedBackendFixture.bob, context: CallContext())
        fixture.backend.flush(.key("bob"))
        let before = fixture.probe.queried.count
        _ = try await fixture.subscription()
        #expect(fixture.probe.queried.count == before)
    }

    @Test("A result is fresh until its revalidation is due", arguments: [SubscriptionState.active, .suspended])
    func until(state: SubscriptionState) async throws {
        let fixture = ProtectedBackendFixture()
        fixture.probe.follow { _, _ in .subscription(Subscription(state: state)) }
        _ = try await fixture.subscription()
        var served = 0
        while served < 400 {
            _ = try await fixture.subscription()
            guard fixture.status.counts[.fresh] == served + 1 else { break }
            served += 1
            fixture.time.advance(by: 0.25)
        }
        // Half a minute less up to a fifth of it; five seconds for a negative result.
        #expect(state == .active ? (96...120).contains(served) : served == 20)
    }
}

/// The ways in which a cached result about ada is invalidated.
enum ResultLoss: CaseIterable {
    case signOut, flushedKey, flushedIdentifier, flushedReference, flushedAll, anotherReader
    case deniedElsewhere, deniedEdition, eviction

    func happen(to fixture: ProtectedBackendFixture) async throws {
        let ada = ProtectedBackendFixture.ada
        switch self {
        case .signOut: try await fixture.backend.signOut(ada, context: CallContext())
        case .flushedKey: fixture.backend.flush(.key("ada"))
        case .flushedIdentifier: fixture.backend.flush(.identifier("ada"))
        case .flushedReference: fixture.backend.flush(.reference(fixture.pseudonymKey.reference(to: ada)))
        case .flushedAll: fixture.backend.flush(.all)
        case .anotherReader:
            fixture.probe.follow { _, _ in .authentication(.authenticated(ProtectedBackendFixture.bob)) }
            _ = try await fixture.backend.renew(ada, context: CallContext())
        case .deniedElsewhere:
            fixture.probe.follow { _, _ in .subscription(Subscription(state: .suspended)) }
            _ = try await fixture.subscription(of: ada, ["device": "another"])
        case .deniedEdition:
            fixture.probe.follow { _, _ in .verdict(.rejected(.notEntitled, message: nil)) }
            _ = try await fixture.backend.verdict(
                on: EditionID("ed-1"), for: ada, context: CallContext(fields: ["device": "another"])
            ).value
        case .eviction:
            for number in 0..<100 {
                _ = try await fixture.subscription(of: Subscriber(backend: "house", key: "reader-\(number)"))
            }
        }
    }
}
