import Foundation
import Gatefold
import Primitives
import TestSupport
import Testing

@testable import Backends

@Suite("Agreement of InPlayer verification and edition credentials") struct InPlayerAgreementTests {
    private static let account = "ada@example.com"
    /// Exact names, a prefix, a longer prefix, and a wildcard for everything.
    private static let settings = [
        "items: {a.1: 11, a.2: 12, a.free: 13}",
        "items: {a.1: 11, a.2: 12}\nsubscription_items: [90, 91]",
        #"items: {a.1: 11, "a.*": 12, "a.b.*": 13}"# + "\nsubscription_items: [90]",
        #"items: {a.1: 11, "a.*": 12, "*": 13}"#, "subscription_items: [90, 11]",
    ]

    private func authorizationService(
        _ backend: any SubscriberBackend, _ rule: EntitlementRule, _ clock: ManualClock
    ) throws -> AuthorizationService {
        let id = try #require(PublicationID("daily"))
        let secret = Secret(Array("a secret of the suite".utf8))
        return AuthorizationService(
            publication: Publication(
                id: id, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]), rule: rule),
            backend: backend,
            tokens: SealedTokenCodec(publication: id, secrets: SecretRing(current: secret), random: .seeded(1)),
            editionSecrets: SecretRing(current: secret), state: InMemoryStateStore(),
            revocations: RevocationList(publication: id), loginThrottle: UnlimitedLoginAttempts(),
            pseudonymKey: PseudonymKey(secret), clock: clock.wall, random: .seeded(2))
    }

    @Test(
        "Edition credentials open exactly the editions that verification lists, under every policy",
        arguments: EntitlementPolicy.allCases)
    func agreement(policy: EntitlementPolicy) async throws {
        try await InPlayerBackendHarness.run { harness in
            var random = SeededRandom(seed: 5)
            let catalogue = Agreement.catalogue(at: harness.clock.now, prefix: "a.")
            for settings in Self.settings {
                for access in ["items", "history"] {
                    let backend = try harness.open("\(settings)\naccess: \(access)\nitem_cache_ttl: 0s")
                    for round in 0..<6 {
                        let held = Set([11, 12, 13, 90].filter { _ in Bool.random(using: &random) })
                        harness.service.with {
                            $0.items[Self.account] = held
                            $0.history = held.map { #"{"item_id":\#($0)}"# }
                            $0.total = held.count
                        }
                        let shelf = round.isMultiple(of: 3) ? Catalogue() : catalogue
                        let authorizationService = try authorizationService(
                            backend, EntitlementRule(policy: policy, catalogue: shelf), harness.clock)
                        let fields = ["email": Self.account, "password": "correct horse"]
                        guard
                            case .signedIn(let token, _, _) = try await authorizationService.signIn(
                                CallContext(fields: fields))
                        else {
                            throw InPlayerBackendHarness.NotAuthenticated()
                        }
                        let found = try await Agreement.contradictions(
                            of: authorizationService, token: token, about: Agreement.editions(prefix: "a."),
                            at: harness.clock.now)
                        #expect(found == [], "\(settings) \(access) \(held.sorted())")
                    }
                }
            }
        }
    }

    @Test("An inactive reader keeps the editions bought singly, even under an access-based policy")
    func boughtSingly() async throws {
        try await InPlayerBackendHarness.run { harness in
            let backend = try harness.open("items: {a.1: 11, a.2: 12}\nsubscription_items: [90]")
            harness.service.with { $0.items[Self.account] = [11] }
            let authorizationService = try authorizationService(
                backend, EntitlementRule(policy: .accessBased), harness.clock)
            let fields = ["email": Self.account, "password": "correct horse"]
            guard case .signedIn(let token, _, _) = try await authorizationService.signIn(CallContext(fields: fields))
            else {
                throw InPlayerBackendHarness.NotAuthenticated()
            }
            let reported = try await authorizationService.verify(token: token, CallContext()).subscription
            let bought = Entitlement.editions([try .test("a.1")])
            #expect(reported.state == .inactive && reported.entitlement == bought)
            let response = try await authorizationService.editionCredentials(
                token: token, edition: "a.1", CallContext())
            #expect({ if case .granted = response { true } else { false } }())
        }
    }
}
