import Foundation
import Gatefold
import Synchronization
import TestSupport
import Testing

@testable import Backends

@Suite("What a chain opens, through a publication") struct ChainEditionsTests {
    private static let editions = (1...2).compactMap { EditionID("com.example.\($0)") }

    /// The publication's answer about the first edition, to a reader of both members.
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
            name: "both", members: members.map { ChainMember(backend: $0, rule: ChainRule(recognised: .next)) },
            order: .inOrder, adoption: nil)
        let proxy = PublicationProxy(
            publication: Publication(
                id: id, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]),
                rule: EntitlementRule(policy: policy, catalogue: catalogue)),
            backend: chain, tokens: codec, editionSecrets: secrets, state: VolatileStateStore(),
            revocations: RevocationList(publication: id), guesses: UnlimitedGuesses(),
            references: ReferenceKey(secrets.current), clock: clock.wall, random: .seeded(2))
        let signIn = try await proxy.signIn(Inquiry(fields: ["email": "ada@example.com", "password": "right"]))
        guard case .signedIn(let token, _, _) = signIn else {
            Issue.record("not signed in")
            return false
        }
        let answer = try await proxy.editionCredentials(
            token: token, edition: Self.editions[0].rawValue, Inquiry())
        switch answer {
        case .granted: return true
        case .refused(let refusal, _):
            #expect(refusal.retryAfter == nil)
            return false
        }
    }

    private func member(_ name: String, _ told: Subscription, refuses: Bool) -> FakeMember {
        let member = FakeMember.knowing(name)
        member.change {
            $0.subscription = { _ in told }
            if refuses { $0.verdict = { _ in .refused(.notEntitled, message: nil) } }
        }
        return member
    }

    @Test("Pitfall 1: what a member refuses is not opened by its own subscription, where its word is final")
    func refused() async throws {
        let everything = Subscription(state: .active, entitlement: .allEditions)
        let refusing = member("pugpig", everything, refuses: true)
        for state in SubscriptionState.allCases {
            let nothing = member("sqlite", Subscription(state: state), refuses: false)
            for members in [[refusing, nothing], [nothing, refusing]] {
                #expect(try await !opens(members, policy: .backendDecides), "\(state)")
            }
        }
    }

    @Test(
        "what one member refuses is opened by the other's subscription under the publication's policy",
        arguments: EntitlementPolicy.allCases)
    func opened(policy: EntitlementPolicy) async throws {
        let refusing = member(
            "pugpig", Subscription(state: .active, entitlement: policy == .backendDecides ? .allEditions : .nothing),
            refuses: true)
        // Each says what its policy goes by, and no more.
        let own: Subscription =
            switch policy {
            case .accessBased: Subscription(state: .active)
            case .issueBased: Subscription(state: .inactive, entitlement: .editions([Self.editions[0]]))
            case .periodBased: Subscription(state: .inactive, periods: [Period(start: .distantPast, end: nil)])
            case .backendDecides: Subscription(state: .active, entitlement: .allEditions)
            }
        let holding = member("sqlite", own, refuses: false)
        for members in [[refusing, holding], [holding, refusing]] {
            #expect(try await opens(members, policy: policy))
        }
    }
}
