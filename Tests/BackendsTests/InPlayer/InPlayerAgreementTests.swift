import Foundation
import Gatefold
import TestSupport
import Testing

@testable import Backends

@Suite("Readers of an InPlayer merchant") struct InPlayerAgreementTests {
    private static let account = "ada@example.com"
    /// Named, by a beginning, by a longer one, and everything.
    private static let settings = [
        "items: {a.1: 11, a.2: 12, a.free: 13}",
        "items: {a.1: 11, a.2: 12}\nsubscription_items: [90, 91]",
        #"items: {a.1: 11, "a.*": 12, "a.b.*": 13}"# + "\nsubscription_items: [90]",
        #"items: {a.1: 11, "a.*": 12, "*": 13}"#, "subscription_items: [90, 11]",
    ]

    private func proxy(
        _ backend: any SubscriberBackend, _ rule: EntitlementRule, _ clock: ManualClock
    ) throws -> PublicationProxy {
        let id = try #require(PublicationID("daily"))
        let secret = Secret(Array("a secret of the suite".utf8))
        return PublicationProxy(
            publication: Publication(
                id: id, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]), rule: rule),
            backend: backend,
            tokens: SealedTokenCodec(publication: id, secrets: SecretRing(current: secret), random: .seeded(1)),
            editionSecrets: SecretRing(current: secret), state: VolatileStateStore(),
            revocations: RevocationList(publication: id), guesses: UnlimitedGuesses(),
            references: ReferenceKey(secret), clock: clock.wall, random: .seeded(2))
    }

    @Test(
        "open by edition credentials exactly what their verification lists, under every policy",
        arguments: EntitlementPolicy.allCases)
    func agreement(policy: EntitlementPolicy) async throws {
        try await InPlayerBed.run { bed in
            var random = SeededRandom(seed: 5)
            let catalogue = Agreement.catalogue(at: bed.clock.now, prefix: "a.")
            for settings in Self.settings {
                for access in ["items", "history"] {
                    let backend = try bed.open("\(settings)\naccess: \(access)\nitem_cache: 0s")
                    for round in 0..<6 {
                        let held = Set([11, 12, 13, 90].filter { _ in Bool.random(using: &random) })
                        bed.service.with {
                            $0.items[Self.account] = held
                            $0.history = held.map { #"{"item_id":\#($0)}"# }
                            $0.total = held.count
                        }
                        let shelf = round.isMultiple(of: 3) ? Catalogue() : catalogue
                        let proxy = try proxy(backend, EntitlementRule(policy: policy, catalogue: shelf), bed.clock)
                        let fields = ["email": Self.account, "password": "correct horse"]
                        guard case .signedIn(let token, _, _) = try await proxy.signIn(Inquiry(fields: fields)) else {
                            throw InPlayerBed.NotRecognised()
                        }
                        let found = try await Agreement.contradictions(
                            of: proxy, token: token, about: Agreement.editions(prefix: "a."), at: bed.clock.now)
                        #expect(found == [], "\(settings) \(access) \(held.sorted())")
                    }
                }
            }
        }
    }

    @Test("keep what they bought when they are not active, also where the active have everything")
    func boughtSingly() async throws {
        try await InPlayerBed.run { bed in
            let backend = try bed.open("items: {a.1: 11, a.2: 12}\nsubscription_items: [90]")
            bed.service.with { $0.items[Self.account] = [11] }
            let proxy = try proxy(backend, EntitlementRule(policy: .accessBased), bed.clock)
            let fields = ["email": Self.account, "password": "correct horse"]
            guard case .signedIn(let token, _, _) = try await proxy.signIn(Inquiry(fields: fields)) else {
                throw InPlayerBed.NotRecognised()
            }
            let told = try await proxy.verify(token: token, Inquiry()).subscription
            let bought = Entitlement.editions([try .test("a.1")])
            #expect(told.state == .inactive && told.entitlement == bought)
            let answer = try await proxy.editionCredentials(token: token, edition: "a.1", Inquiry())
            #expect({ if case .granted = answer { true } else { false } }())
        }
    }
}
