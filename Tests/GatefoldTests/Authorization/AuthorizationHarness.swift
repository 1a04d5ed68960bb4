import Commerce
import Foundation
import Gatefold
import Primitives
import Synchronization
import TestSupport
import Testing

/// A publication whose backend and stores are scripted.
final class AuthorizationHarness: Sendable {
    let backend: ScriptedBackend
    let clock: ManualClock
    let state: any SessionStore
    let revocations: RevocationList
    let authorizationService: AuthorizationService
    let events: Events

    final class Events: Sendable {
        private let list = Mutex<[AuthorizationEvent]>([])
        var all: [AuthorizationEvent] { list.withLock { $0 } }
        func record(_ event: AuthorizationEvent) { list.withLock { $0.append(event) } }
        private let refusalList = Mutex<[Refusal]>([])
        var refusals: [Refusal] { refusalList.withLock { $0 } }
        func record(_ refusal: Refusal) { refusalList.withLock { $0.append(refusal) } }
    }

    init(
        _ id: PublicationID = .daily, policy: EntitlementPolicy = .issueBased, catalogue: Catalogue = Catalogue(),
        backend: ScriptedBackend = ScriptedBackend(), clock: ManualClock = ManualClock(),
        state: any SessionStore = InMemoryStateStore(), loginThrottle: any LoginThrottling = UnlimitedLoginAttempts(),
        tokenSecrets: SecretRing = SecretRing(current: .one), denials: DenialCache = DenialCache(),
        sessions: SessionLimiter? = nil, purchases: PurchaseService? = nil,
        change: (inout Publication) -> Void = { _ in }
    ) {
        var publication = Publication(
            id: id, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]),
            rule: EntitlementRule(policy: policy, catalogue: catalogue))
        change(&publication)
        let events = Events()
        self.backend = backend
        self.clock = clock
        self.state = state
        self.events = events
        revocations = RevocationList(publication: id)
        authorizationService = AuthorizationService(
            publication: publication, backend: backend,
            tokens: SealedTokenCodec(publication: id, secrets: tokenSecrets, random: .seeded(20)),
            editionSecrets: SecretRing(current: .two), state: state, revocations: revocations,
            loginThrottle: loginThrottle,
            sessions: sessions, pseudonymKey: PseudonymKey(.one), denials: denials, clock: clock.wall,
            random: .seeded(21),
            purchases: purchases, retryAfter: 17, observe: { events.record($0) },
            report: { events.record($0) })
    }

    func signIn(_ email: String = "jane@example.com", _ password: String = "right", device: String? = nil) async throws
        -> SignInResult
    {
        var fields = ["email": email, "password": password]
        fields["device"] = device
        return try await authorizationService.signIn(CallContext(fields: fields))
    }

    func token(_ email: String = "jane@example.com", device: String? = nil) async throws -> String {
        try #require(try await signIn(email, device: device).token)
    }

    func verify(_ token: String) async throws -> Subscription {
        try await authorizationService.verify(token: token, CallContext()).subscription
    }

    func credentials(_ token: String, _ edition: String? = EditionID.first.rawValue) async throws -> CredentialsResult {
        try await authorizationService.editionCredentials(token: token, edition: edition, CallContext())
    }

    /// Returns the verdict of the gate on the pair at the current time.
    func gate(_ pair: EditionCredentials?, _ edition: EditionID = .first) throws -> EditionCredentialsVerdict {
        EditionCredentialsVerifier(
            publication: authorizationService.publication.id, secrets: SecretRing(current: .two),
            acceptsPlainSalts: false,
            resumeWindow: 0
        ).verify(try #require(pair), for: edition, at: clock.now, revocations: revocations)
    }
}

extension SignInResult {
    var token: String? {
        if case .signedIn(let token, _, _) = self { token } else { nil }
    }

    var rejection: SignInRejection? {
        if case .rejected(let rejection) = self { rejection } else { nil }
    }
}

extension CredentialsResult {
    var pair: EditionCredentials? {
        if case .granted(let pair, _, _) = self { pair } else { nil }
    }

    var rejection: CredentialsRejection? {
        if case .rejected(let rejection, _) = self { rejection } else { nil }
    }
}

extension EditionCredentialsVerdict {
    var isAccepted: Bool {
        if case .accepted = self { true } else { false }
    }
}

/// A state store that always fails.
struct BrokenStateStore: SessionStore {
    struct UnavailableError: Error {}
    func admit(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID,
        limit: DeviceLimit, at timestamp: Date
    ) async throws -> DeviceRegistration { throw UnavailableError() }
    func devices(of subscriber: SubscriberPseudonym, in publication: PublicationID) async throws -> [Device] {
        throw UnavailableError()
    }
    func touch(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID, at timestamp: Date
    ) async throws { throw UnavailableError() }
    func remove(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID,
        usedUntil timestamp: Date
    ) async throws { throw UnavailableError() }
    func record(_ revocation: Revocation) async throws { throw UnavailableError() }
    func revocations(after position: ChangePosition, limit: Int) async throws -> RevocationPage {
        throw UnavailableError()
    }
    func revocations(numbered sequences: [Int64]) async throws -> RevocationPage { throw UnavailableError() }
    func recordKnownDevice(_ digest: [UInt8], of identifier: [UInt8]) async throws -> Bool { throw UnavailableError() }
    func isKnownDevice(_ digest: [UInt8]) async throws -> Bool { throw UnavailableError() }
}
