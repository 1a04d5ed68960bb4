import Foundation
import Gatefold
import Primitives
import Synchronization
import TestSupport
import Testing

@testable import Backends

@Suite("Editions of a chain, decided by a publication") struct ChainEditionsTests {
    private static let editions = (1...2).compactMap { EditionID("com.example.\($0)") }

    /// Returns the publication's decision on the first edition for a reader of both members.
    private func opens(_ members: [FakeMember], policy: EntitlementPolicy) async throws -> Bool {
        let clock = ManualClock()
        let catalogue = Catalogue(
            Self.editions.enumerated().map {
                Edition(id: $1, title: "\($0)", published: clock.now.addingTimeInterval(-Double($0 + 1) * 86_400))
            })
        let id = try #require(PublicationID("daily"))
        let secrets = SecretRing(current: Secret(Array("a secret for a chain's editions!".utf8)))
        let codec = SealedTokenCodec(publication: id, secrets: secrets, random: .seeded(1))
        let chain = ChainBackend(
            name: "both", members: members.map { ChainMember(backend: $0, rule: ChainRule(authenticated: .next)) },
            order: .inOrder, lazyMigration: nil)
        let authorizationService = AuthorizationService(
            publication: Publication(
                id: id, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]),
                rule: EntitlementRule(policy: policy, catalogue: catalogue)),
            backend: chain, tokens: codec, editionSecrets: secrets, state: InMemoryStateStore(),
            revocations: RevocationList(publication: id), loginThrottle: UnlimitedLoginAttempts(),
            pseudonymKey: PseudonymKey(secrets.current), clock: clock.wall, random: .seeded(2))
        let signIn = try await authorizationService.signIn(
            CallContext(fields: ["email": "ada@example.com", "password": "right"]))
        guard case .signedIn(let token, _, _) = signIn else {
            Issue.record("not signed in")
            return false
        }
        let result = try await authorizationService.editionCredentials(
            token: token, edition: Self.editions[0].rawValue, CallContext())
        switch result {
        case .granted: return true
        case .rejected(let rejection, _):
            #expect(rejection.retryAfter == nil)
            return false
        }
    }

    private func member(_ name: String, _ reported: Subscription, rejects: Bool) -> FakeMember {
        let member = FakeMember.knowing(name)
        member.change {
            $0.subscription = { _ in reported }
            if rejects { $0.verdict = { _ in .rejected(.notEntitled, message: nil) } }
        }
        return member
    }

    @Test("Pitfall 1: a rejected edition is not opened by the same member's subscription under `backendDecides`")
    func rejected() async throws {
        let everything = Subscription(state: .active, entitlement: .allEditions)
        let denying = member("pugpig", everything, rejects: true)
        for state in SubscriptionState.allCases {
            let nothing = member("sqlite", Subscription(state: state), rejects: false)
            for members in [[denying, nothing], [nothing, denying]] {
                #expect(try await !opens(members, policy: .backendDecides), "\(state)")
            }
        }
    }

    @Test(
        "An edition that one member rejects is opened by the other's subscription under the publication's policy",
        arguments: EntitlementPolicy.allCases)
    func opened(policy: EntitlementPolicy) async throws {
        let denying = member(
            "pugpig", Subscription(state: .active, entitlement: policy == .backendDecides ? .allEditions : .nothing),
            rejects: true)
        // Each subscription holds only what its policy evaluates.
        let own: Subscription =
            switch policy {
            case .accessBased: Subscription(state: .active)
            case .issueBased: Subscription(state: .inactive, entitlement: .editions([Self.editions[0]]))
            case .periodBased: Subscription(state: .inactive, periods: [Period(start: .distantPast, end: nil)])
            case .backendDecides: Subscription(state: .active, entitlement: .allEditions)
            }
        let holding = member("sqlite", own, rejects: false)
        for members in [[denying, holding], [holding, denying]] {
            #expect(try await opens(members, policy: policy))
        }
    }
}
