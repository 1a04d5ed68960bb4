import Commerce
import Foundation
import Gatefold
import Primitives
import TestSupport
import Testing

@Suite("Agreement of verification and edition credentials")
struct AgreementTests {
    /// A subscriber system that returns verdicts on single editions.
    private struct VerdictStub: EditionDecidingBackend {
        let name = "judging"
        let reported: Subscription
        let granted: Set<EditionID>

        func authenticate(_ credentials: Credentials, context: CallContext) async throws -> Fetched<
            AuthenticationResult
        > {
            .authenticated(Subscriber(backend: name, key: credentials.identifier))
        }

        func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Fetched<Subscription> {
            Fetched(reported)
        }

        func verdict(
            on edition: EditionID?, for subscriber: Subscriber, context: CallContext
        ) async throws -> Fetched<EditionVerdict?> {
            guard let edition else { return Fetched(nil) }
            return Fetched(granted.contains(edition) ? .granted : .rejected(.notEntitled, message: nil))
        }
    }

    private static let prefix = "com.example.a."
    private static let editions = Agreement.editions(prefix: prefix)

    private static func subscription(_ random: inout SeededRandom, at timestamp: Date) -> Subscription {
        let list = editions.filter { _ in Bool.random(using: &random) }
        var subscription = Subscription(
            state: SubscriptionState.allCases.randomElement(using: &random)!,
            entitlement: Int.random(in: 0..<4, using: &random) == 0 ? .allEditions : .editions(Set(list)))
        if Bool.random(using: &random) {
            subscription.periods = [
                Period(start: timestamp - 250, end: Bool.random(using: &random) ? timestamp - 120 : nil)
            ]
        }
        return subscription
    }

    private static func authorizationService(
        _ backend: any SubscriberBackend, _ rule: EntitlementRule, _ clock: ManualClock, bought: [EditionID] = []
    ) -> AuthorizationService {
        let verifier = ScriptedVerifier()
        let purchases = bought.enumerated().map { number, edition in
            StoreTransaction(
                store: verifier.store, id: "\(number)", original: "\(number)", product: edition.rawValue,
                purchased: .after(-1), environment: .production, reported: .after(-1))
        }
        let purchaseService = PurchaseService(
            publication: .daily, products: ProductRules(), verifiers: [verifier],
            ledger: BrokenLedger(reporting: { _ in purchases }), clock: clock.wall)
        return AuthorizationService(
            publication: Publication(
                id: .daily, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]), rule: rule),
            backend: backend,
            tokens: SealedTokenCodec(publication: .daily, secrets: SecretRing(current: .one), random: .seeded(20)),
            editionSecrets: SecretRing(current: .two), state: InMemoryStateStore(),
            revocations: RevocationList(publication: .daily), loginThrottle: UnlimitedLoginAttempts(),
            pseudonymKey: PseudonymKey(.one), clock: clock.wall, random: .seeded(21),
            purchases: bought.isEmpty ? nil : purchaseService)
    }

    private static func token(_ authorizationService: AuthorizationService) async throws -> String {
        try #require(
            try await authorizationService.signIn(
                CallContext(fields: ["email": "ann@example.com", "password": "right"])
            ).token)
    }

    @Test(
        "Verification and credentials open the same editions for any backend result and purchases",
        arguments: EntitlementPolicy.allCases)
    func agreement(policy: EntitlementPolicy) async throws {
        let clock = ManualClock()
        var random = SeededRandom(seed: 27)
        for _ in 0..<150 {
            let reported = Self.subscription(&random, at: clock.now)
            // Under a policy that queries verdicts, the subscriber system has to agree with itself.
            let verdicts = policy == .backendDecides ? nil : Self.editions.filter { _ in Bool.random(using: &random) }
            let granted = verdicts ?? Self.editions.filter { reported.opens($0) }
            let rule = EntitlementRule(
                policy: policy, grace: GraceRules(previousOfHeld: Int.random(in: 0...1, using: &random)),
                catalogue: Bool.random(using: &random)
                    ? Agreement.catalogue(at: clock.now, prefix: Self.prefix) : Catalogue())
            // With grace, the list holds more than the backend reported, so this backend has no verdicts under its own
            // policy.
            let backend: any SubscriberBackend
            if policy == .backendDecides, Bool.random(using: &random) {
                let scripted = ScriptedBackend()
                scripted.response(reported)
                backend = scripted
            } else if policy == .backendDecides, rule.grace.previousOfHeld > 0 {
                continue
            } else {
                backend = VerdictStub(reported: reported, granted: Set(granted))
            }
            let bought = Bool.random(using: &random) ? [] : [Self.editions.randomElement(using: &random)!]
            let authorizationService = Self.authorizationService(backend, rule, clock, bought: bought)
            let token = try await Self.token(authorizationService)
            let found = try await Agreement.contradictions(
                of: authorizationService, token: token, about: Self.editions, at: clock.now)
            try #require(found == [], "\(policy) \(reported) bought \(bought) grace \(rule.grace)")
        }
    }

    @Test("Queries a verdict only where the backend's decision is final")
    func verdicts() async throws {
        let clock = ManualClock()
        let edition = Self.editions[0]
        let inactive = Subscription(state: .inactive)
        for policy in EntitlementPolicy.allCases {
            let authorizationService = Self.authorizationService(
                VerdictStub(reported: inactive, granted: [edition]), EntitlementRule(policy: policy), clock)
            let response = try await authorizationService.editionCredentials(
                token: try await Self.token(authorizationService), edition: edition.rawValue, CallContext())
            #expect((response.pair != nil) == (policy == .backendDecides), "\(policy)")
        }
    }
}
