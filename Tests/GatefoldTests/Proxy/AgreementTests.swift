import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("A verification and edition credentials")
struct AgreementTests {
    /// A subscriber system with verdicts of its own on single editions.
    private struct Judging: SubscriberBackend {
        let name = "judging"
        let told: Subscription
        let granted: Set<EditionID>

        func recognise(_ credentials: Credentials, inquiry: Inquiry) async throws -> Recognition {
            .recognised(Subscriber(backend: name, key: credentials.identifier))
        }

        func subscription(of subscriber: Subscriber, inquiry: Inquiry) async throws -> Subscription { told }

        func verdict(
            on edition: EditionID?, for subscriber: Subscriber, inquiry: Inquiry
        ) async throws -> EditionVerdict? {
            guard let edition else { return nil }
            return granted.contains(edition) ? .granted : .refused(.notEntitled, message: nil)
        }
    }

    private static let prefix = "com.example.a."
    private static let editions = Agreement.editions(prefix: prefix)

    private static func subscription(_ random: inout SeededRandom, at moment: Date) -> Subscription {
        let list = editions.filter { _ in Bool.random(using: &random) }
        var subscription = Subscription(
            state: SubscriptionState.allCases.randomElement(using: &random)!,
            entitlement: Int.random(in: 0..<4, using: &random) == 0 ? .allEditions : .editions(Set(list)))
        if Bool.random(using: &random) {
            subscription.periods = [Period(start: moment - 250, end: Bool.random(using: &random) ? moment - 120 : nil)]
        }
        return subscription
    }

    private static func proxy(
        _ backend: any SubscriberBackend, _ rule: EntitlementRule, _ clock: ManualClock, bought: [EditionID] = []
    ) -> PublicationProxy {
        let verifier = ScriptedVerifier()
        let purchases = bought.enumerated().map { number, edition in
            StoreTransaction(
                store: verifier.store, id: "\(number)", original: "\(number)", product: edition.rawValue,
                purchased: .after(-1), environment: .production, told: .after(-1))
        }
        let desk = PurchaseDesk(
            publication: .daily, products: ProductRules(), verifiers: [verifier],
            ledger: BrokenLedger(telling: { _ in purchases }), clock: clock.wall)
        return PublicationProxy(
            publication: Publication(
                id: .daily, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]), rule: rule),
            backend: backend,
            tokens: SealedTokenCodec(publication: .daily, secrets: SecretRing(current: .one), random: .seeded(20)),
            editionSecrets: SecretRing(current: .two), state: VolatileStateStore(),
            revocations: RevocationList(publication: .daily), guesses: UnlimitedGuesses(),
            references: ReferenceKey(.one), clock: clock.wall, random: .seeded(21),
            purchases: bought.isEmpty ? nil : desk)
    }

    private static func token(_ proxy: PublicationProxy) async throws -> String {
        try #require(
            try await proxy.signIn(Inquiry(fields: ["email": "ann@example.com", "password": "right"])).token)
    }

    @Test(
        "open the same editions, whatever the subscriber system and the purchases say",
        arguments: EntitlementPolicy.allCases)
    func agreement(policy: EntitlementPolicy) async throws {
        let clock = ManualClock()
        var random = SeededRandom(seed: 27)
        for _ in 0..<150 {
            let told = Self.subscription(&random, at: clock.now)
            // Under a policy that asks for verdicts, the subscriber system has to agree with itself.
            let verdicts = policy == .backendDecides ? nil : Self.editions.filter { _ in Bool.random(using: &random) }
            let granted = verdicts ?? Self.editions.filter { told.opens($0) }
            let rule = EntitlementRule(
                policy: policy, grace: GraceRules(previousOfHeld: Int.random(in: 0...1, using: &random)),
                catalogue: Bool.random(using: &random)
                    ? Agreement.catalogue(at: clock.now, prefix: Self.prefix) : Catalogue())
            // With grace the list has more than the system said, so under its own policy it has no verdicts here.
            let backend: any SubscriberBackend
            if policy == .backendDecides, Bool.random(using: &random) {
                let scripted = ScriptedBackend()
                scripted.answer(told)
                backend = scripted
            } else if policy == .backendDecides, rule.grace.previousOfHeld > 0 {
                continue
            } else {
                backend = Judging(told: told, granted: Set(granted))
            }
            let bought = Bool.random(using: &random) ? [] : [Self.editions.randomElement(using: &random)!]
            let proxy = Self.proxy(backend, rule, clock, bought: bought)
            let token = try await Self.token(proxy)
            let found = try await Agreement.contradictions(
                of: proxy, token: token, about: Self.editions, at: clock.now)
            try #require(found == [], "\(policy) \(told) bought \(bought) grace \(rule.grace)")
        }
    }

    @Test("a verdict is asked for only where the subscriber system's word is final")
    func verdicts() async throws {
        let clock = ManualClock()
        let edition = Self.editions[0]
        let inactive = Subscription(state: .inactive)
        for policy in EntitlementPolicy.allCases {
            let proxy = Self.proxy(
                Judging(told: inactive, granted: [edition]), EntitlementRule(policy: policy), clock)
            let answer = try await proxy.editionCredentials(
                token: try await Self.token(proxy), edition: edition.rawValue, Inquiry())
            #expect((answer.pair != nil) == (policy == .backendDecides), "\(policy)")
        }
    }
}
