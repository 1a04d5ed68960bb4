import Foundation
import Gatefold
import Primitives
import TestSupport
import Testing

@Suite("Reports of refused calls")
struct RefusalTests {
    private let jane = PseudonymKey(.one).reference(to: Subscriber(backend: "scripted", key: "jane@example.com"))

    @Test(
        "Each state of a subscription has its reason, with the reader and the freshness of the statement",
        arguments: [
            (SubscriptionState.inactive, RefusalReason.subscriptionLapsed, Freshness.stale),
            (.suspended, .readerSuspended, .cached), (.unknown, .readerUnknown, .live),
            (.stale, .subscriptionStale, .live),
        ])
    func states(_ state: SubscriptionState, _ reason: RefusalReason, _ freshness: Freshness) async throws {
        let harness = AuthorizationHarness()
        let token = try await harness.token()
        harness.backend.response(Subscription(state: state), freshness)
        _ = try await harness.verify(token)
        _ = try await harness.credentials(token)
        #expect(
            harness.events.refusals == [
                Refusal(
                    reason, .verification, of: .daily, subscriber: jane, backend: "scripted", freshness: freshness),
                Refusal(
                    reason, .editionCredentials, of: .daily, subscriber: jane, edition: .first, backend: "scripted",
                    freshness: freshness),
            ])
    }

    @Test("An outage names the call, the reader and the subscriber system")
    func outage() async throws {
        let harness = AuthorizationHarness()
        let token = try await harness.token()
        harness.backend.startOutage()
        await #expect(throws: Unavailable.self) { try await harness.signIn() }
        await #expect(throws: Unavailable.self) { try await harness.verify(token) }
        _ = try await harness.credentials(token)
        #expect(
            harness.events.refusals == [
                Refusal(.backendUnavailable, .signIn, of: .daily, backend: "scripted"),
                Refusal(.backendUnavailable, .verification, of: .daily, subscriber: jane, backend: "scripted"),
                Refusal(
                    .backendUnavailable, .editionCredentials, of: .daily, subscriber: jane, edition: .first,
                    backend: "scripted"),
            ])
    }

    @Test("A renewal that retains its token in an outage is no refusal")
    func retainingRenewal() async throws {
        let harness = AuthorizationHarness()
        let token = try await harness.token()
        harness.backend.startOutage()
        let retained = try await harness.authorizationService.renew(
            token: token, CallContext(), retainsInOutage: true)
        #expect(retained == .signedIn(token: token, feedPassword: nil, notes: []))
        #expect(harness.events.refusals.isEmpty)
        await #expect(throws: Unavailable.self) {
            try await harness.authorizationService.renew(token: token, CallContext())
        }
        #expect(harness.events.refusals.map(\.reason) == [.backendUnavailable])
    }

    @Test("A call that only shows a subscription refuses no lapsed reader")
    func shownSubscription() async throws {
        let harness = AuthorizationHarness()
        let token = try await harness.token()
        harness.backend.response(Subscription(state: .inactive), .live)
        let shown = try await harness.authorizationService.verify(token: token, CallContext(), reportsState: false)
        #expect(shown.subscription.state == .inactive && harness.events.refusals.isEmpty)
    }

    @Test("A full store, a catalogue that is not loaded and too many sessions have reasons of their own")
    func otherReasons() async throws {
        let broken = AuthorizationHarness(state: BrokenStateStore()) {
            $0.deviceField = "device"
            $0.deviceLimit = DeviceLimit(maxDevices: 1, onLimit: .evict)
        }
        await #expect(throws: Unavailable.self) { try await broken.signIn(device: "phone") }
        #expect(broken.events.refusals.map(\.reason) == [.stateUnavailable])
        let pending = AuthorizationHarness(catalogue: .pending)
        _ = try await pending.credentials(try await pending.token())
        #expect(pending.events.refusals.map(\.reason) == [.catalogueUnavailable])
        let limited = AuthorizationHarness(sessions: SessionLimiter(perHour: 1))
        _ = try await limited.signIn()
        _ = try await limited.signIn()
        #expect(limited.events.refusals == [Refusal(.sessionLimit, .signIn, of: .daily, subscriber: jane)])
    }

    @Test("Expired tokens name their reader, and failing open is no refusal")
    func tokens() async throws {
        let harness = AuthorizationHarness(policy: .accessBased) {
            $0.failsOpen = true
            $0.lifetimes = Lifetimes(token: 600)
        }
        let token = try await harness.token()
        harness.backend.startOutage()
        #expect(try await harness.credentials(token).pair != nil)
        #expect(harness.events.refusals.isEmpty)
        harness.clock.advance(by: 600)
        _ = try await harness.credentials(token)
        #expect(
            harness.events.refusals == [Refusal(.tokenExpired, .editionCredentials, of: .daily, subscriber: jane)])
    }

    @Test("Without messages of their own, all reasons have the same text")
    func messages() async throws {
        let catalogue = Catalogue([Edition(id: .second, title: "Second", published: .distantFuture)])
        let harness = AuthorizationHarness(catalogue: catalogue)
        let token = try await harness.token()
        for edition in [EditionID.first, .second] {
            #expect(
                try await harness.credentials(token, edition.rawValue).rejection?.message
                    == "Your subscription does not include this edition.")
        }
        #expect(harness.events.refusals.map(\.reason) == [.unknownEdition, .notYetPublished])
    }
}
