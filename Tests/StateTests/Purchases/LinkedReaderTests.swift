import Foundation
import Gatefold
import Synchronization
import TestSupport
import Testing

/// A publication whose readers have a subscriber system and an app store.
private struct ReaderRig {
    let rig: DeskRig
    let backend = ScriptedBackend()
    let proxy: PublicationProxy
    let token: String
    let installation = buyer(7)
    static let references = ReferenceKey(Secret("kW8xVq2mTz5nRb7LcY3hJd9s"))
    static let jane = Subscriber(backend: "scripted", key: "jane@example.com")

    var subscriber: PurchaseOwner { Self.references.owner(Self.jane) }

    init(_ rig: DeskRig, policy: EntitlementPolicy) async throws {
        self.rig = rig
        let secret = SecretRing(current: Secret("Zp4gQe6vXu1wNa8KfM5tHy2r"))
        let publication = Publication(
            id: daily, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]),
            rule: EntitlementRule(policy: policy, catalogue: DeskRig.catalogue))
        proxy = PublicationProxy(
            publication: publication, backend: backend,
            tokens: SealedTokenCodec(publication: daily, secrets: secret, random: .seeded(3)), editionSecrets: secret,
            state: rig.ledger, revocations: RevocationList(publication: daily), guesses: UnlimitedGuesses(),
            references: Self.references, clock: rig.clock.wall, random: .seeded(4), purchases: rig.desk)
        let answer = try await proxy.signIn(Inquiry(fields: ["email": "jane@example.com", "password": "right"]))
        guard case .signedIn(let token, _, _) = answer else { throw NotSignedIn() }
        self.token = token
    }

    struct NotSignedIn: Error {}

    static func with(
        _ policy: EntitlementPolicy = .issueBased, isDown: Bool = false, _ test: (ReaderRig) async throws -> Void
    ) async throws {
        try await DeskRig.with(isDown: isDown) { try await test(try await ReaderRig($0, policy: policy)) }
    }

    func byToken() async throws -> Subscription {
        var subscription = try await proxy.verify(token: token, Inquiry()).subscription
        subscription.message = nil
        return subscription
    }

    func byInstallation() async throws -> Subscription {
        try await proxy.subscription(of: installation, Inquiry())
    }

    func opensByToken(_ edition: EditionID) async throws -> Bool {
        try await proxy.editionCredentials(token: token, edition: edition.rawValue, Inquiry()).isGranted
    }

    func opensByInstallation(_ edition: EditionID) async throws -> Bool {
        try await proxy.editionCredentials(for: edition, of: installation, Inquiry()).isGranted
    }
}

extension CredentialsAnswer {
    fileprivate var isGranted: Bool {
        if case .granted = self { true } else { false }
    }
}

@Suite("A reader of a subscriber system and an app store", .serialized) struct LinkedReaderTests {
    @Test("has the same by token as by a linked installation, whatever either system says")
    func identical() async throws {
        var random = SeededRandom(seed: 18)
        for policy in EntitlementPolicy.allCases {
            for _ in 0..<6 {
                let entitlement: Entitlement =
                    [.allEditions, .nothing, .editions([october]), .editions([november])].randomElement(using: &random)!
                let state = SubscriptionState.allCases.randomElement(using: &random)!
                let transactions = [StoreTransaction.sample(), .month(from: noon - 2 * 86_400), .month(days: -1)]
                    .filter { _ in Bool.random(using: &random) }
                let byToken = Bool.random(using: &random)
                try await ReaderRig.with(policy) { reader async throws in
                    reader.backend.answer(
                        Subscription(
                            state: state, entitlement: entitlement,
                            periods: [Period(start: noon - 40 * 86_400, end: noon - 20 * 86_400)]))
                    if !transactions.isEmpty {
                        reader.rig.verifier.verifyBy { _ in .genuine(transactions) }
                        _ = try await reader.rig.confirm(by: byToken ? reader.subscriber : reader.installation)
                    }
                    let isLinked = try await reader.proxy.link(token: reader.token, with: reader.installation)
                    #expect(isLinked)
                    #expect(try await reader.byToken() == reader.byInstallation())
                    for edition in [october, november, EditionID("com.example.free")!, EditionID("none")!] {
                        #expect(
                            try await reader.opensByToken(edition) == reader.opensByInstallation(edition),
                            "\(policy) \(state) \(entitlement) \(edition)")
                    }
                }
            }
        }
    }

    @Test("who is suspended keeps what was bought, and nothing else")
    func suspended() async throws {
        try await ReaderRig.with(.backendDecides) { reader async throws in
            reader.backend.answer(Subscription(state: .suspended, entitlement: .allEditions))
            reader.rig.verifier.prove(.sample())
            _ = try await reader.rig.confirm(by: reader.subscriber)
            let subscription = try await reader.byToken()
            #expect(subscription.opens(november) && !subscription.opens(october))
            #expect(subscription.entitlement != .allEditions)
            #expect(try await reader.opensByToken(november))
            #expect(try await !reader.opensByToken(october))
        }
    }

    @Test("Pitfall 1: everything that a system says of a subscription that ran out stays shut, whatever runs elsewhere")
    func neverEverything() async throws {
        try await ReaderRig.with(.backendDecides) { reader async throws in
            reader.backend.answer(Subscription(state: .inactive, entitlement: .allEditions))
            reader.rig.verifier.prove(.month(from: noon - 2 * 86_400))
            _ = try await reader.rig.confirm(by: reader.subscriber)
            let subscription = try await reader.byToken()
            #expect(subscription.state == .active)
            #expect(subscription.opens(november) && !subscription.opens(october))
            #expect(subscription.entitlement != .allEditions)
        }
    }

    @Test("keeps what was bought under every policy", arguments: EntitlementPolicy.allCases)
    func bought(policy: EntitlementPolicy) async throws {
        try await ReaderRig.with(policy) { reader async throws in
            reader.backend.answer(Subscription(state: .inactive))
            reader.rig.verifier.prove(.sample())
            _ = try await reader.rig.confirm(by: reader.subscriber)
            #expect(try await reader.opensByToken(november))
            #expect(try await reader.byToken().opens(november))
            #expect(try await !reader.byToken().opens(october))
        }
    }

    @Test("whose purchases can not be looked up has what the subscriber system grants, and nobody says no")
    func ledgerDown() async throws {
        try await ReaderRig.with(isDown: true) { reader async throws in
            reader.backend.answer(Subscription(state: .active, entitlement: .editions([november])))
            #expect(try await reader.opensByToken(november))
            let other = try await reader.proxy.editionCredentials(
                token: reader.token, edition: october.rawValue, Inquiry())
            guard case .refused(let refusal, _) = other else {
                Issue.record("granted")
                return
            }
            #expect(refusal.retryAfter != nil)
            await #expect(throws: Unavailable.self) { try await reader.byToken() }
            await #expect(throws: Unavailable.self) { try await reader.byInstallation() }
            await #expect(throws: Unavailable.self) {
                try await reader.proxy.link(token: reader.token, with: reader.installation)
            }
        }
    }

    @Test("gets what was bought while the subscriber system can not be asked, by token and by installation")
    func backendDown() async throws {
        try await ReaderRig.with { reader async throws in
            reader.rig.verifier.prove(.sample())
            _ = try await reader.rig.confirm(by: reader.installation)
            let isLinked = try await reader.proxy.link(token: reader.token, with: reader.installation)
            #expect(isLinked)
            reader.backend.breakDown()
            #expect(try await reader.opensByToken(november))
            #expect(try await reader.opensByInstallation(november))
            #expect(try await !reader.opensByToken(october))
            await #expect(throws: Unavailable.self) { try await reader.opensByInstallation(october) }
        }
    }

    @Test("is linked by a good token only, and no longer after the link ends")
    func linking() async throws {
        try await ReaderRig.with { reader async throws in
            reader.backend.answer(Subscription(state: .active, entitlement: .editions([october])))
            let isLinked = try await reader.proxy.link(token: "forged", with: reader.installation)
            #expect(!isLinked)
            #expect(try await !reader.opensByInstallation(october))
            #expect(try await reader.proxy.link(token: reader.token, with: reader.installation))
            #expect(try await reader.opensByInstallation(october))
            #expect(try await reader.rig.desk.unlink(reader.installation))
            #expect(try await !reader.opensByInstallation(october))
        }
    }

    @Test("A receipt alone opens what it proves")
    func receiptAlone() async throws {
        try await ReaderRig.with { reader async throws in
            let proven = [StoreTransaction.sample()]
            #expect(reader.proxy.subscription(provenBy: proven).opens(november))
            let answer = try reader.proxy.editionCredentials(for: november, provenBy: proven, Inquiry())
            #expect(answer.isGranted)
            #expect(try !reader.proxy.editionCredentials(for: october, provenBy: proven, Inquiry()).isGranted)
            #expect(try !reader.proxy.editionCredentials(for: november, provenBy: [], Inquiry()).isGranted)
            #expect(!reader.proxy.subscription(provenBy: [.sample(revoked: noon)]).opens(november))
        }
    }
}
