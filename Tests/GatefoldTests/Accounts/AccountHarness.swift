import Accounts
import Commerce
import Foundation
import Gatefold
import Primitives
import TestSupport
import Testing

/// A publication with self-registration and in-memory stores.
struct AccountHarness {
    let readers: InMemorySubscribers
    let accountStore = InMemoryAccountStore()
    let clock = ManualClock()
    let revocations: RevocationList
    let authorizationService: AuthorizationService
    let accountService: AccountService

    static let ada = "ada@example.com"

    init(
        _ id: PublicationID = .daily, readers: InMemorySubscribers = InMemorySubscribers(),
        state: any SessionStore = InMemoryStateStore(), loginThrottle: any LoginThrottling = UnlimitedLoginAttempts(),
        registrationThrottle: any LoginThrottling = UnlimitedLoginAttempts(),
        sharedRegistryPublications: [RevocationList] = [],
        ledger: (any PurchaseErasing)? = nil, proofs: [String] = ["password"]
    ) {
        self.readers = readers
        revocations = RevocationList(publication: id)
        var publication = Publication(
            id: id, credentialFields: CredentialFields(identifier: "email", proofs: proofs),
            rule: EntitlementRule(
                policy: .issueBased,
                catalogue: Catalogue([Edition(id: .first, title: "First", published: .after(-86_400), isFree: true)])))
        publication.deviceField = "device"
        publication.deviceLimit = DeviceLimit(maxDevices: 9, onLimit: .reject)
        authorizationService = AuthorizationService(
            publication: publication, backend: readers,
            tokens: SealedTokenCodec(
                publication: id, secrets: SecretRing(current: .one), random: .seeded(40)),
            editionSecrets: SecretRing(current: .two), state: state, revocations: revocations,
            loginThrottle: loginThrottle,
            pseudonymKey: PseudonymKey(.one), clock: clock.wall, random: .seeded(41))
        accountService = AccountService(
            authorizationService: authorizationService, accountStore: accountStore, secrets: SecretRing(current: .one),
            sharedRegistryPublications: sharedRegistryPublications, registrationThrottle: registrationThrottle,
            ledger: ledger)
    }

    func context(_ email: String = ada, _ password: String = "first password", device: String? = nil) -> CallContext {
        var fields = ["email": email, "password": password]
        fields["device"] = device
        return CallContext(fields: fields, client: ClientAddress("192.0.2.1"))
    }

    @discardableResult
    func register(
        _ email: String = ada, _ password: String = "first password", device: String? = nil
    ) async throws -> String {
        try await accountService.register(
            AccountDetails(identifier: email), password: password, context(email, password, device: device))
    }

    /// Returns the token, or nil if the sign-in is rejected.
    func signIn(
        _ email: String = ada, _ password: String = "first password", device: String? = nil
    ) async throws -> String? {
        try await authorizationService.signIn(context(email, password, device: device)).token
    }

    func change(_ token: String, from old: String = "first password", to new: String = "other password") async throws {
        try await accountService.changePassword(token: token, from: old, to: new, CallContext())
    }

    func resetToken(_ email: String = ada) async throws -> String {
        try #require(try await accountService.resetPassword(of: email, CallContext())).resetToken
    }

    func isGood(_ token: String) -> Bool { authorizationService.session(token: token) != nil }

    func subscriber(_ token: String) throws -> Subscriber {
        try #require(authorizationService.session(token: token)).subscriber
    }

    /// Returns a Boolean value that indicates whether the gate currently accepts a salt of this session.
    func opensGate(_ pair: EditionCredentials?) throws -> Bool {
        EditionCredentialsVerifier(
            publication: authorizationService.publication.id, secrets: SecretRing(current: .two),
            acceptsPlainSalts: false,
            resumeWindow: 0
        ).verify(try #require(pair), for: .first, at: clock.now, revocations: revocations).isAccepted
    }

    func pair(_ token: String) async throws -> EditionCredentials? {
        try await authorizationService.editionCredentials(
            token: token, edition: EditionID.first.rawValue, CallContext()
        ).pair
    }
}
