import Foundation
import Gatefold
import Primitives
import Synchronization
import TestSupport
import Testing

/// What an explanation knows, and what it must not claim to know.
@Suite("Certainty of an explanation") struct ExplanationCertaintyTests {
    private static let reader = Subscriber(backend: "scripted", key: "jane@example.com")

    private static let catalogue = Catalogue([
        Edition(id: .first, title: "1", published: .after(-100)),
        Edition(id: .second, title: "2", published: .after(100)),
    ])

    private func explain(
        _ harness: AuthorizationHarness, _ edition: EditionID = .first, token: String? = nil,
        isOtherTime: Bool = false, isServing: Bool = true, lookup: ReaderLookup? = nil
    ) async throws -> Explanation {
        try await harness.authorizationService.explain(
            ExplanationSubject(Self.reader, token: token, lookup: lookup), edition, isOtherTime: isOtherTime,
            isServing: isServing)
    }

    // MARK: Outages

    @Test("In an outage, only the server knows whether it fails open: it has the cached results and the denials")
    func outage() async throws {
        let harness = AuthorizationHarness { $0.failsOpen = true }
        harness.backend.startOutage()
        let server = try await explain(harness)
        #expect(server.verdict == .grantedInOutage && Explanation.conclusion(of: [server]) == .opens)
        let other = try await explain(harness, isServing: false)
        #expect(other.verdict == .undecided && Explanation.conclusion(of: [other]) == .unknown)
        let credentials = try #require(other.steps.first { $0.code == .credentials })
        #expect(credentials.outcome == .unknown && credentials.values.first?.name == "outage")
        #expect(other.steps.first { $0.code == .subscription }?.reason == .backendUnavailable)
    }

    @Test("The response of a test reader is no outage, so that a publication that fails open grants nothing")
    func scripted() async throws {
        let harness = AuthorizationHarness { $0.failsOpen = true }
        let token = try await harness.token()
        harness.backend.response { _ in throw ScriptedResponse(status: 503, text: "dictated") }
        await #expect(throws: ScriptedResponse.self) { try await harness.credentials(token) }
        #expect(try await explain(harness, token: token).verdict == .unavailable(.testResponse))
    }

    // MARK: Lookups

    @Test("Systems that were not searched are named, and leave a rejection unknown, but not a grant")
    func incompleteSearch() async throws {
        let harness = AuthorizationHarness(policy: .accessBased)
        for lookup in [
            ReaderLookup([Self.reader], unsupported: ["web"]),
            ReaderLookup([Self.reader], failures: ["sql": "refused"]),
        ] {
            harness.backend.response(Subscription(state: .active, entitlement: .allEditions))
            let open = try await explain(harness, lookup: lookup)
            #expect(open.opens && Explanation.conclusion(of: [open]) == .opens)
            let step = try #require(open.steps.first)
            #expect(step.values.contains { ["not_searchable", "error sql"].contains($0.name) }, "\(step)")
            harness.backend.response(Subscription(state: .inactive))
            let closed = try await explain(harness, lookup: lookup)
            #expect(Explanation.conclusion(of: [closed]) == .unknown)
            let searched = try await explain(harness, lookup: ReaderLookup([Self.reader]))
            #expect(Explanation.conclusion(of: [searched]) == .doesNotOpen)
        }
    }

    @Test("An identifier of several subscribers of one system opens nothing, because a sign-in rejects it")
    func ambiguous() async throws {
        let harness = AuthorizationHarness(policy: .accessBased)
        let twin = Subscriber(backend: "scripted", key: "twin")
        let explanation = try await explain(
            harness, lookup: ReaderLookup([Self.reader, twin], ambiguous: ["scripted"]))
        #expect(explanation.verdict == .granted && !explanation.opens)
        #expect(explanation.cause?.code == .reader && explanation.cause?.reason == .wrongCredentials)
        #expect(explanation.cause?.values.contains { $0.name == "found" && $0.value.hasPrefix("1 of 2") } == true)
        #expect(Explanation.conclusion(of: [explanation]) == .doesNotOpen)
    }

    @Test("Systems that disagree leave the answer open, because the password decides which of them counts")
    func disagreement() async throws {
        let harness = AuthorizationHarness(policy: .accessBased)
        let open = try await explain(harness)
        harness.backend.response(Subscription(state: .inactive))
        let closed = try await explain(harness)
        #expect(Explanation.conclusion(of: [open, open]) == .opens)
        #expect(Explanation.conclusion(of: [closed, closed]) == .doesNotOpen)
        #expect(Explanation.conclusion(of: [closed, open]) == .unknown)
    }

    // MARK: Another time

    @Test("At another time, the catalogue decides alone, and steps with values of the present say so")
    func catalogue() async throws {
        let harness = AuthorizationHarness(policy: .accessBased, catalogue: Self.catalogue)
        #expect(try await explain(harness).steps.allSatisfy { !$0.isOfPresent })
        harness.clock.step(by: -200)
        let earlier = try await explain(harness, isOtherTime: true)
        #expect(earlier.verdict == .rejected(.notEntitled, .notYetPublished) && earlier.isOtherTime)
        let isOfPresent = Dictionary(uniqueKeysWithValues: earlier.steps.map { ($0.code, $0.isOfPresent) })
        #expect(isOfPresent[.subscription] == true && isOfPresent[.policy] == true && isOfPresent[.catalogue] == false)
    }

    @Test("At another time, a state without periods decides nothing; one with periods does")
    func states() async throws {
        let harness = AuthorizationHarness(policy: .accessBased, catalogue: Self.catalogue)
        harness.clock.step(by: 200)
        for state in [SubscriptionState.active, .inactive] {
            harness.backend.response(Subscription(state: state))
            #expect(try await explain(harness, .second, isOtherTime: true).verdict == .undecided)
            harness.backend.response(Subscription(state: state, periods: [Period(start: .after(0), end: .after(300))]))
            let explanation = try await explain(harness, .second, isOtherTime: true)
            #expect(explanation.verdict.isGranted == (state == .active) && explanation.verdict != .undecided)
        }
    }

    @Test("A token is read at the given time: before it was issued nothing is known, and after its end it is expired")
    func tokens() async throws {
        let harness = AuthorizationHarness(policy: .accessBased)
        harness.backend.response(
            Subscription(state: .active, periods: [Period(start: .distantPast, end: .distantFuture)]))
        let token = try await harness.token()
        #expect(try await explain(harness, token: token, isOtherTime: true).verdict == .granted)
        harness.clock.step(by: -3600)
        #expect(try await explain(harness, token: token, isOtherTime: true).verdict == .undecided)
        harness.clock.step(by: 3600 + 400 * 86_400)
        let late = try await explain(harness, token: token, isOtherTime: true)
        #expect(late.verdict == .rejected(.expired, .tokenExpired) && late.cause?.code == .sessions)
    }

    // MARK: Sessions of the backend

    /// A web service that knows a reader only with the session that it opened.
    private struct SessionService: SigningOutBackend {
        let name = "web"

        func authenticate(_ credentials: Credentials, context: CallContext) -> Fetched<AuthenticationResult> {
            .authenticated(Subscriber(backend: name, key: "1", upstreamSession: "s"))
        }

        func subscription(of subscriber: Subscriber, context: CallContext) -> Fetched<Subscription> {
            Fetched(Subscription(state: subscriber.upstreamSession == nil ? .unknown : .active))
        }

        func signOut(_ subscriber: Subscriber, context: CallContext) {}
    }

    @Test("Without the backend's own session nothing is known; with a token it is")
    func sessions() async throws {
        let service = AuthorizationService(
            publication: Publication(
                id: .daily, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]),
                rule: EntitlementRule(policy: .accessBased, catalogue: Self.catalogue)),
            backend: SessionService(),
            tokens: SealedTokenCodec(publication: .daily, secrets: SecretRing(current: .one), random: .seeded(20)),
            editionSecrets: SecretRing(current: .two), state: InMemoryStateStore(),
            revocations: RevocationList(publication: .daily), loginThrottle: UnlimitedLoginAttempts(),
            pseudonymKey: PseudonymKey(.one), clock: ManualClock().wall, random: .seeded(21))
        let keyed = try await service.explain(ExplanationSubject(Subscriber(backend: "web", key: "1")), .first)
        #expect(keyed.verdict == .undecided && Explanation.conclusion(of: [keyed]) == .unknown)
        let step = try #require(keyed.steps.first { $0.code == .subscription })
        #expect(step.values.contains { $0.name == "session" })
        let result = try await service.signIn(CallContext(fields: ["email": "a@b", "password": "x"]))
        let token = try #require(result.token)
        let subscriber = try #require(service.sessionOfAnyToken(token)).subscriber
        #expect(try await service.explain(ExplanationSubject(subscriber, token: token), .first).verdict == .granted)
    }

    // MARK: Queries

    @Test("The decision and the steps share one query")
    func queries() async throws {
        let harness = AuthorizationHarness(policy: .accessBased, catalogue: Self.catalogue)
        _ = try await explain(harness)
        #expect(harness.backend.queries == ["subscription"])
    }

    @Test("A deferred verdict passes if one of its subscriptions opens the edition")
    func deferred() async throws {
        var script = ExplanationWorld.System.Script()
        script.verdicts[.first] = .deferred(
            [Subscription(state: .active, entitlement: .editions([.first]))], otherwise: .notEntitled, message: nil)
        let service = AuthorizationService(
            publication: Publication(
                id: .daily, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]),
                rule: EntitlementRule(policy: .backendDecides, catalogue: Self.catalogue)),
            backend: ExplanationWorld.System(script),
            tokens: SealedTokenCodec(publication: .daily, secrets: SecretRing(current: .one), random: .seeded(20)),
            editionSecrets: SecretRing(current: .two), state: InMemoryStateStore(),
            revocations: RevocationList(publication: .daily), loginThrottle: UnlimitedLoginAttempts(),
            pseudonymKey: PseudonymKey(.one), clock: ManualClock().wall, random: .seeded(21))
        let explanation = try await service.explain(ExplanationSubject(ExplanationWorld.reader), .first)
        #expect(explanation.verdict == .granted)
        #expect(explanation.steps.first { $0.code == .verdict }?.outcome == .passes)
    }
}
