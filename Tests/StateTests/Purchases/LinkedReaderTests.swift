import Commerce
import Foundation
import Gatefold
import Primitives
import Synchronization
import TestSupport
import Testing

/// A publication with a subscriber system and an app store.
private struct LinkedReaderHarness {
    let harness: PurchaseServiceHarness
    let backend = ScriptedBackend()
    let authorizationService: AuthorizationService
    let token: String
    let installation = buyer(7)
    static let pseudonymKey = PseudonymKey(Secret("kW8xVq2mTz5nRb7LcY3hJd9s"))
    static let jane = Subscriber(backend: "scripted", key: "jane@example.com")

    var subscriber: PurchaseOwner { Self.pseudonymKey.owner(Self.jane) }

    init(_ harness: PurchaseServiceHarness, policy: EntitlementPolicy) async throws {
        self.harness = harness
        let secret = SecretRing(current: Secret("Zp4gQe6vXu1wNa8KfM5tHy2r"))
        let publication = Publication(
            id: daily, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]),
            rule: EntitlementRule(policy: policy, catalogue: PurchaseServiceHarness.catalogue))
        authorizationService = AuthorizationService(
            publication: publication, backend: backend,
            tokens: SealedTokenCodec(publication: daily, secrets: secret, random: .seeded(3)), editionSecrets: secret,
            state: harness.ledger, revocations: RevocationList(publication: daily),
            loginThrottle: UnlimitedLoginAttempts(),
            pseudonymKey: Self.pseudonymKey, clock: harness.clock.wall, random: .seeded(4),
            purchases: harness.purchaseService)
        let response = try await authorizationService.signIn(
            CallContext(fields: ["email": "jane@example.com", "password": "right"]))
        guard case .signedIn(let token, _, _) = response else { throw NotSignedIn() }
        self.token = token
    }

    struct NotSignedIn: Error {}

    static func with(
        _ policy: EntitlementPolicy = .issueBased, isDown: Bool = false,
        _ test: (LinkedReaderHarness) async throws -> Void
    ) async throws {
        try await PurchaseServiceHarness.with(isDown: isDown) {
            try await test(try await LinkedReaderHarness($0, policy: policy))
        }
    }

    func byToken() async throws -> Subscription {
        var subscription = try await authorizationService.verify(token: token, CallContext()).subscription
        subscription.message = nil
        return subscription
    }

    func byInstallation() async throws -> Subscription {
        try await authorizationService.subscription(of: installation, CallContext())
    }

    func opensByToken(_ edition: EditionID) async throws -> Bool {
        try await authorizationService.editionCredentials(token: token, edition: edition.rawValue, CallContext())
            .isGranted
    }

    func opensByInstallation(_ edition: EditionID) async throws -> Bool {
        try await authorizationService.editionCredentials(for: edition, of: installation, CallContext()).isGranted
    }
}

extension CredentialsResult {
    fileprivate var isGranted: Bool {
        if case .granted = self { true } else { false }
    }
}

@Suite("Reader with a subscriber system and an app store", .stateServers, .serialized) struct LinkedReaderTests {
    @Test("A token and a linked installation open the same editions, for any results of both systems")
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
                try await LinkedReaderHarness.with(policy) { reader async throws in
                    reader.backend.response(
                        Subscription(
                            state: state, entitlement: entitlement,
                            periods: [Period(start: noon - 40 * 86_400, end: noon - 20 * 86_400)]))
                    if !transactions.isEmpty {
                        reader.harness.verifier.verifyBy { _ in .genuine(transactions) }
                        _ = try await reader.harness.confirm(by: byToken ? reader.subscriber : reader.installation)
                    }
                    let isLinked = try await reader.authorizationService.link(
                        token: reader.token, with: reader.installation)
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

    @Test("A suspended reader keeps purchases only")
    func suspended() async throws {
        try await LinkedReaderHarness.with(.backendDecides) { reader async throws in
            reader.backend.response(Subscription(state: .suspended, entitlement: .allEditions))
            reader.harness.verifier.verifyPassword(.sample())
            _ = try await reader.harness.confirm(by: reader.subscriber)
            let subscription = try await reader.byToken()
            #expect(subscription.opens(november) && !subscription.opens(october))
            #expect(subscription.entitlement != .allEditions)
            #expect(try await reader.opensByToken(november))
            #expect(try await !reader.opensByToken(october))
        }
    }

    @Test("Pitfall 1: \"all editions\" of an expired subscription stays closed while another one runs")
    func neverEverything() async throws {
        try await LinkedReaderHarness.with(.backendDecides) { reader async throws in
            reader.backend.response(Subscription(state: .inactive, entitlement: .allEditions))
            reader.harness.verifier.verifyPassword(.month(from: noon - 2 * 86_400))
            _ = try await reader.harness.confirm(by: reader.subscriber)
            let subscription = try await reader.byToken()
            #expect(subscription.state == .active)
            #expect(subscription.opens(november) && !subscription.opens(october))
            #expect(subscription.entitlement != .allEditions)
        }
    }

    @Test("Purchases are kept under every policy", arguments: EntitlementPolicy.allCases)
    func bought(policy: EntitlementPolicy) async throws {
        try await LinkedReaderHarness.with(policy) { reader async throws in
            reader.backend.response(Subscription(state: .inactive))
            reader.harness.verifier.verifyPassword(.sample())
            _ = try await reader.harness.confirm(by: reader.subscriber)
            #expect(try await reader.opensByToken(november))
            #expect(try await reader.byToken().opens(november))
            #expect(try await !reader.byToken().opens(october))
        }
    }

    @Test("If the ledger fails, the backend's grants apply and the rest is unavailable, not denied")
    func ledgerDown() async throws {
        try await LinkedReaderHarness.with(isDown: true) { reader async throws in
            reader.backend.response(Subscription(state: .active, entitlement: .editions([november])))
            #expect(try await reader.opensByToken(november))
            let other = try await reader.authorizationService.editionCredentials(
                token: reader.token, edition: october.rawValue, CallContext())
            guard case .rejected(let rejection, _) = other else {
                Issue.record("granted")
                return
            }
            #expect(rejection.retryAfter != nil)
            await #expect(throws: Unavailable.self) { try await reader.byToken() }
            await #expect(throws: Unavailable.self) { try await reader.byInstallation() }
            await #expect(throws: Unavailable.self) {
                try await reader.authorizationService.link(token: reader.token, with: reader.installation)
            }
        }
    }

    @Test("Purchases open during a backend outage, by token and by installation")
    func backendDown() async throws {
        try await LinkedReaderHarness.with { reader async throws in
            reader.harness.verifier.verifyPassword(.sample())
            _ = try await reader.harness.confirm(by: reader.installation)
            let isLinked = try await reader.authorizationService.link(token: reader.token, with: reader.installation)
            #expect(isLinked)
            reader.backend.startOutage()
            #expect(try await reader.opensByToken(november))
            #expect(try await reader.opensByInstallation(november))
            #expect(try await !reader.opensByToken(october))
            await #expect(throws: Unavailable.self) { try await reader.opensByInstallation(october) }
        }
    }

    @Test("Only a valid token links an installation, and the access ends with the link")
    func linking() async throws {
        try await LinkedReaderHarness.with { reader async throws in
            reader.backend.response(Subscription(state: .active, entitlement: .editions([october])))
            let isLinked = try await reader.authorizationService.link(token: "forged", with: reader.installation)
            #expect(!isLinked)
            #expect(try await !reader.opensByInstallation(october))
            #expect(try await reader.authorizationService.link(token: reader.token, with: reader.installation))
            #expect(try await reader.opensByInstallation(october))
            #expect(try await reader.harness.purchaseService.unlink(reader.installation))
            #expect(try await !reader.opensByInstallation(october))
        }
    }

    @Test("A receipt alone opens the editions that it proves")
    func receiptAlone() async throws {
        try await LinkedReaderHarness.with { reader async throws in
            let verified = [StoreTransaction.sample()]
            #expect(reader.authorizationService.subscription(verifiedBy: verified).opens(november))
            let response = try reader.authorizationService.editionCredentials(
                for: november, verifiedBy: verified, CallContext())
            #expect(response.isGranted)
            #expect(
                try !reader.authorizationService.editionCredentials(for: october, verifiedBy: verified, CallContext())
                    .isGranted)
            #expect(
                try !reader.authorizationService.editionCredentials(for: november, verifiedBy: [], CallContext())
                    .isGranted)
            #expect(!reader.authorizationService.subscription(verifiedBy: [.sample(revoked: noon)]).opens(november))
        }
    }
}
