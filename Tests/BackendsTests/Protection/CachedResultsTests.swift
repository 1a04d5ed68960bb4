import Foundation
import Gatefold
import TestSupport
import Testing

@testable import Backends
@testable import Resilience

/// A cached result must equal the result that a query would have returned.
@Suite("Synchronous lookups of cached results")
struct CachedResultsTests {
    private let edition = EditionID("ed-1")

    @Test("A cached result is available after the query and while it is fresh")
    func fresh() async throws {
        let fixture = ProtectedBackendFixture()
        let backend = fixture.backend
        #expect(backend.cachedSubscription(of: ProtectedBackendFixture.ada, context: CallContext()) == nil)
        let queried = try await fixture.subscription()
        #expect(backend.cachedSubscription(of: ProtectedBackendFixture.ada, context: CallContext())?.value == queried)
        #expect(backend.cachedSubscription(of: ProtectedBackendFixture.bob, context: CallContext()) == nil)
        #expect(fixture.probe.queried == ["subscription"])
        fixture.time.advance(by: 86_400)
        #expect(backend.cachedSubscription(of: ProtectedBackendFixture.ada, context: CallContext()) == nil)
    }

    @Test("A result due for revalidation is not available, although readers would be served from it")
    func revalidating() async throws {
        let fixture = ProtectedBackendFixture()
        _ = try await fixture.subscription()
        while fixture.backend.cachedSubscription(of: ProtectedBackendFixture.ada, context: CallContext()) != nil {
            fixture.time.advance(by: 1)
        }
        _ = try await fixture.subscription()
        #expect(fixture.probe.queried.count <= 2)
    }

    @Test("Sign-out invalidates all cached results of the reader")
    func forgotten() async throws {
        let fixture = ProtectedBackendFixture()
        _ = try await fixture.subscription()
        _ = try await fixture.verdict()
        try await fixture.backend.signOut(ProtectedBackendFixture.ada, context: CallContext())
        let edition = try #require(edition)
        #expect(fixture.backend.cachedSubscription(of: ProtectedBackendFixture.ada, context: CallContext()) == nil)
        #expect(
            fixture.backend.cachedVerdict(on: edition, for: ProtectedBackendFixture.ada, context: CallContext()) == nil)
    }

    @Test("A result that was served to bridge an outage is not available")
    func outage() async throws {
        let fixture = ProtectedBackendFixture()
        _ = try await fixture.subscription()
        fixture.time.advance(by: 7_200)
        fixture.probe.follow(ProbeBackend.down)
        _ = try await fixture.subscription()
        #expect(fixture.backend.cachedSubscription(of: ProtectedBackendFixture.ada, context: CallContext()) == nil)
    }

    @Test("The cached verdict is the backend's verdict, or records that there is none")
    func verdicts() async throws {
        let fixture = ProtectedBackendFixture()
        let edition = try #require(edition)
        _ = try await fixture.verdict()
        #expect(
            fixture.backend.cachedVerdict(on: edition, for: ProtectedBackendFixture.ada, context: CallContext())?.value
                == .verdict(.granted))
        fixture.probe.follow { _, _ in .verdict(nil) }
        fixture.time.advance(by: 86_400)
        _ = try await fixture.verdict()
        #expect(
            fixture.backend.cachedVerdict(on: edition, for: ProtectedBackendFixture.ada, context: CallContext())?.value
                == CachedVerdict.none)
    }

    @Test(
        "A validity ends as soon as the cached result is invalidated",
        arguments: ResultLoss.allCases)
    func removed(loss: ResultLoss) async throws {
        let fixture = ProtectedBackendFixture(varyingFields: ["device"]) { $0.cache?.memory = 20_000 }
        let edition = try #require(edition)
        _ = try await fixture.authenticate("ada")
        _ = try await fixture.subscription()
        _ = try await fixture.verdict()
        let timestamped = fixture.backend.cachedSubscription(of: ProtectedBackendFixture.ada, context: CallContext())
        let opened = fixture.backend.cachedVerdict(
            on: edition, for: ProtectedBackendFixture.ada, context: CallContext())
        let (subscription, verdict) = (try #require(timestamped).validity, try #require(opened).validity)
        let timestamp = fixture.time.clock.now
        #expect(subscription.holds(at: timestamp) && verdict.holds(at: timestamp))
        try await loss.happen(to: fixture)
        #expect(subscription.holds(at: timestamp) == (loss == .deniedEdition), "\(loss)")
        #expect(!verdict.holds(at: timestamp), "\(loss)")
    }

    @Test("A validity is unaffected by the invalidation of other readers' results")
    func others() async throws {
        let fixture = ProtectedBackendFixture()
        _ = try await fixture.subscription()
        _ = try await fixture.subscription(of: ProtectedBackendFixture.bob)
        let known = fixture.backend.cachedSubscription(of: ProtectedBackendFixture.ada, context: CallContext())
        let validity = try #require(known).validity
        try await fixture.backend.signOut(ProtectedBackendFixture.bob, context: CallContext())
        fixture.backend.flush(.key("bob"))
        #expect(validity.holds(at: fixture.time.clock.now))
    }

    @Test("A validity ends exactly when the cached result does", arguments: [SubscriptionState.active, .suspended])
    func until(state: SubscriptionState) async throws {
        let fixture = ProtectedBackendFixture()
        fixture.probe.follow { _, _ in .subscription(Subscription(state: state)) }
        _ = try await fixture.subscription()
        let known = fixture.backend.cachedSubscription(of: ProtectedBackendFixture.ada, context: CallContext())
        let validity = try #require(known).validity
        var held = 0
        for _ in 0..<400 {
            let isKnown =
                fixture.backend.cachedSubscription(of: ProtectedBackendFixture.ada, context: CallContext()) != nil
            #expect(validity.holds(at: fixture.time.clock.now) == isKnown)
            if isKnown { held += 1 }
            fixture.time.advance(by: 0.25)
        }
        // Until revalidation is due: half a minute less up to a fifth of it; five seconds for a negative result.
        #expect(state == .active ? (96...120).contains(held) : held == 20)
    }
}

/// The ways in which a cached result about ada is invalidated.
enum ResultLoss: CaseIterable {
    case signOut, flushedKey, flushedIdentifier, flushedReference, flushedAll, anotherReader, newerResult
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
        case .newerResult:
            fixture.time.advance(by: 61)
            _ = try await fixture.subscription()
            _ = try await fixture.verdict()
        case .deniedElsewhere:
            fixture.probe.follow { _, _ in .subscription(Subscription(state: .suspended)) }
            _ = try await fixture.subscription(of: ada, ["device": "another"])
        case .deniedEdition:
            fixture.probe.follow { _, _ in .verdict(.rejected(.notEntitled, message: nil)) }
            _ = try await fixture.backend.verdict(
                on: EditionID("ed-1"), for: ada, context: CallContext(fields: ["device": "another"]))
        case .eviction:
            for number in 0..<100 {
                _ = try await fixture.subscription(of: Subscriber(backend: "house", key: "reader-\(number)"))
            }
        }
    }
}
