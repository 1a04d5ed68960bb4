import EdgeTokens
import Foundation
import Gatefold
import Primitives
import TestSupport
import Testing

/// An immediate result equals the one that a query would return, because both share one definition.
@Suite("Immediate result")
struct ImmediateResultsTests {
    /// A backend whose cached results equal its queried ones.
    private struct CachingBackend: SubscriberBackend {
        let name = "scripted"
        var reported = Subscription(state: .active)
        var cachedVerdictResult: CachedVerdict? = CachedVerdict.none

        func authenticate(_ credentials: Credentials, context: CallContext) -> AuthenticationResult {
            .authenticated(Subscriber(backend: name, key: credentials.identifier))
        }
        func subscription(of subscriber: Subscriber, context: CallContext) -> Subscription { reported }
        func verdict(on edition: EditionID?, for subscriber: Subscriber, context: CallContext) -> EditionVerdict? {
            if case .verdict(let verdict)? = cachedVerdictResult { verdict } else { nil }
        }
        func cachedSubscription(of subscriber: Subscriber, context: CallContext) -> Cached<Subscription>? {
            Cached(reported)
        }
        func cachedVerdict(
            on edition: EditionID, for subscriber: Subscriber, context: CallContext
        ) -> Cached<CachedVerdict>? { cachedVerdictResult.map { Cached($0) } }
    }

    private static let subscriptions = SubscriptionState.allCases.flatMap { state in
        [
            Subscription(state: state), Subscription(state: state, message: "words"),
            Subscription(state: state, entitlement: .allEditions),
            Subscription(state: state, entitlement: .editions([.first])),
        ]
    }

    private static let verdicts: [CachedVerdict] = [
        .none, .verdict(.granted), .verdict(.rejected(.notEntitled, message: nil)),
        .verdict(.rejected(nil, message: "no")),
        .verdict(
            .deferred([Subscription(state: .active, entitlement: .allEditions)], otherwise: .expired, message: nil)),
        .verdict(.deferred([], otherwise: .expired, message: "over")),
    ]

    @Test("An immediate verification equals the queried one", arguments: EntitlementPolicy.allCases)
    func verification(policy: EntitlementPolicy) async throws {
        for reported in Self.subscriptions {
            let (authorizationService, clock) = try Self.authorizationService(
                CachingBackend(reported: reported), policy)
            for token in try await Self.tokens(authorizationService, clock) {
                let immediate = try #require(authorizationService.immediateVerification(token: token, CallContext()))
                #expect(try await immediate.response == authorizationService.verify(token: token, CallContext()))
            }
        }
    }

    @Test("Immediate credentials equal the queried ones", arguments: EntitlementPolicy.allCases)
    func credentials(policy: EntitlementPolicy) async throws {
        for reported in Self.subscriptions {
            for cachedVerdictResult in Self.verdicts {
                let (authorizationService, clock) = try Self.authorizationService(
                    CachingBackend(reported: reported, cachedVerdictResult: cachedVerdictResult), policy)
                // The same service with a backend that has to be queried.
                let (inUse, _) = try Self.authorizationService(
                    Requesting(other: CachingBackend(reported: reported, cachedVerdictResult: cachedVerdictResult)),
                    policy)
                for token in try await Self.tokens(authorizationService, clock) {
                    for edition in [EditionID.first.rawValue, "free", "future", "a b", "unknown"] {
                        let immediate = try #require(
                            try authorizationService.immediateCredentials(token: token, edition: edition, CallContext())
                        )
                        let queried = try await inUse.editionCredentials(token: token, edition: edition, CallContext())
                        #expect(
                            Self.shape(immediate.response) == Self.shape(queried),
                            "\(reported.state) \(cachedVerdictResult) \(edition)")
                    }
                }
            }
        }
    }

    @Test("Pitfall 9: a decision by the catalogue alone neither records nor removes a denial")
    func plainDecisions() async throws {
        let active = Subscription(state: .active)
        func authorizationService(_ backend: some SubscriberBackend, isFree: Bool = false, denials: DenialCache) throws
            -> AuthorizationService
        {
            let edition = Edition(id: .first, title: "First", published: .after(-1), isFree: isFree)
            return try Self.authorizationService(
                backend, .issueBased, Catalogue([edition]), denials: denials, failsOpen: true
            ).0
        }
        func isIssued(_ authorizationService: AuthorizationService, _ token: String, isImmediate: Bool) async throws
            -> Bool
        {
            let name = EditionID.first.rawValue
            let immediate = try authorizationService.immediateCredentials(token: token, edition: name, CallContext())
            #expect((immediate != nil) == isImmediate)
            return try await authorizationService.editionCredentials(token: token, edition: name, CallContext()).pair
                != nil
        }
        // The edition is unpublished at first and published when the outage starts.
        let early = DenialCache()
        let future = Catalogue([Edition(id: .first, title: "First", published: .after(1))])
        let (before, clock) = try Self.authorizationService(
            CachingBackend(reported: active), .issueBased, future, denials: early, failsOpen: true)
        let token = try #require(try await Self.tokens(before, clock).first)
        #expect(try await !isIssued(before, token, isImmediate: true))
        #expect(try await isIssued(authorizationService(UnavailableError(), denials: early), token, isImmediate: false))
        // The backend denies the edition, which is free for a while and not free when the outage starts.
        let late = DenialCache()
        let denying = CachingBackend(
            reported: active, cachedVerdictResult: .verdict(.rejected(.notEntitled, message: nil)))
        #expect(try await !isIssued(authorizationService(denying, denials: late), token, isImmediate: true))
        #expect(
            try await isIssued(authorizationService(denying, isFree: true, denials: late), token, isImmediate: true))
        #expect(try await !isIssued(authorizationService(UnavailableError(), denials: late), token, isImmediate: false))
    }

    @Test("A cached result is repeated with different credentials that have the same validity")
    func reusability() async throws {
        let (authorizationService, clock) = try Self.authorizationService(CachingBackend(), .accessBased)
        let immediate = try await Self.toBeCached(by: authorizationService, clock)
        guard case .replacing(let first, let next) = immediate.reusability else {
            Issue.record("\(immediate.reusability)")
            return
        }
        #expect(first == immediate.response.pair)
        let second = try next()
        #expect(second.userid != first.userid)
        #expect(second.password != first.password)
        let verifier = EditionCredentialsVerifier(
            publication: .daily, secrets: SecretRing(current: .two), acceptsPlainSalts: false, resumeWindow: 0)
        let revocations = RevocationList(publication: .daily)
        func verdicts() -> [EditionCredentialsVerdict] {
            [first, second].map { verifier.verify($0, for: .first, at: clock.now, revocations: revocations) }
        }
        let early = verdicts()
        #expect(early[0].isAccepted)
        #expect(early[0] == early[1])
        // Before the last minute, and after it.
        clock.advance(by: authorizationService.publication.lifetimes.editionCredentials - 60)
        #expect(verdicts() == early)
        clock.advance(by: 120)
        #expect(!verdicts().contains { $0.isAccepted })
    }

    @Test("A result with other time-dependent parts is never reused")
    func timestamp() async throws {
        let edge = try StaticEdgeHeader(name: "X-Edge", value: "word")
        let changes: [(inout Publication) -> Void] = [{ $0.edgeTokens = [edge] }, { $0.hasDebugComments = true }]
        for change in changes {
            let (authorizationService, clock) = try Self.authorizationService(
                CachingBackend(), .accessBased, change: change)
            let immediate = try await Self.toBeCached(by: authorizationService, clock)
            #expect(immediate.response.pair != nil)
            guard case .never = immediate.reusability else {
                Issue.record("\(immediate.reusability)")
                return
            }
        }
    }

    private static func toBeCached(
        by authorizationService: AuthorizationService, _ clock: ManualClock
    ) async throws -> ImmediateResult<CredentialsResult> {
        let token = try #require(try await tokens(authorizationService, clock).first)
        return try #require(
            try authorizationService.immediateCredentials(
                token: token, edition: EditionID.first.rawValue, CallContext(), willBeCached: true))
    }

    @Test("There is no immediate result if the backend has to be queried")
    func undecided() async throws {
        let harness = AuthorizationHarness()
        let token = try await harness.token()
        #expect(harness.authorizationService.immediateVerification(token: token, CallContext()) == nil)
        #expect(
            try harness.authorizationService.immediateCredentials(
                token: token, edition: EditionID.first.rawValue, CallContext()) == nil)
        #expect(harness.backend.queries == ["authenticate"])
    }

    /// A backend without a cache.
    private struct Requesting: SubscriberBackend {
        let other: CachingBackend
        var name: String { other.name }
        func authenticate(_ credentials: Credentials, context: CallContext) -> AuthenticationResult {
            other.authenticate(credentials, context: context)
        }
        func subscription(of subscriber: Subscriber, context: CallContext) -> Subscription { other.reported }
        func verdict(on edition: EditionID?, for subscriber: Subscriber, context: CallContext) -> EditionVerdict? {
            other.verdict(on: edition, for: subscriber, context: context)
        }
    }

    private struct UnavailableError: SubscriberBackend {
        let name = "scripted"
        func authenticate(_ credentials: Credentials, context: CallContext) throws -> AuthenticationResult {
            throw ScriptedBackend.ScriptedFailure()
        }
        func subscription(of subscriber: Subscriber, context: CallContext) throws -> Subscription {
            throw ScriptedBackend.ScriptedFailure()
        }
    }

    private static func shape(_ response: CredentialsResult) -> String {
        switch response {
        case .granted: "granted"
        case .rejected(let rejection, _): "\(rejection)"
        }
    }

    private static func authorizationService(
        _ backend: some SubscriberBackend, _ policy: EntitlementPolicy, _ catalogue: Catalogue? = nil,
        denials: DenialCache = DenialCache(), failsOpen: Bool = false,
        change: (inout Publication) -> Void = { _ in }
    ) throws -> (AuthorizationService, ManualClock) {
        let clock = ManualClock()
        let shelf = Catalogue([
            Edition(id: .first, title: "First", published: clock.now.addingTimeInterval(-86_400)),
            Edition(
                id: try #require(EditionID("free")), title: "Free", published: clock.now.addingTimeInterval(-86_400),
                isFree: true),
            Edition(
                id: try #require(EditionID("future")), title: "Future", published: clock.now.addingTimeInterval(86_400)),
        ])
        var publication = Publication(
            id: .daily, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]),
            rule: EntitlementRule(policy: policy, catalogue: catalogue ?? shelf), failsOpen: failsOpen)
        change(&publication)
        let authorizationService = AuthorizationService(
            publication: publication, backend: backend,
            tokens: SealedTokenCodec(publication: .daily, secrets: SecretRing(current: .one), random: .seeded(1)),
            editionSecrets: SecretRing(current: .two), state: InMemoryStateStore(),
            revocations: RevocationList(publication: .daily), loginThrottle: UnlimitedLoginAttempts(),
            pseudonymKey: PseudonymKey(.one), denials: denials, clock: clock.wall, random: .seeded(2))
        return (authorizationService, clock)
    }

    /// Returns a valid token, an empty one and an unreadable one.
    private static func tokens(_ authorizationService: AuthorizationService, _ clock: ManualClock) async throws
        -> [String]
    {
        let response = try await authorizationService.signIn(
            CallContext(fields: ["email": "ada@example.com", "password": "right"]))
        let good = try #require(response.token)
        return [good, "", "nonsense"]
    }
}
