import Foundation
import Gatefold
import Synchronization
import TestSupport
import Testing

/// A publication with everything around it scripted.
final class ProxyRig: Sendable {
    let backend: ScriptedBackend
    let clock: ManualClock
    let state: any SessionStore
    let revocations: RevocationList
    let proxy: PublicationProxy
    let events: Events

    final class Events: Sendable {
        private let list = Mutex<[ProxyEvent]>([])
        var all: [ProxyEvent] { list.withLock { $0 } }
        func note(_ event: ProxyEvent) { list.withLock { $0.append(event) } }
    }

    init(
        _ id: PublicationID = .daily, policy: EntitlementPolicy = .issueBased, catalogue: Catalogue = Catalogue(),
        backend: ScriptedBackend = ScriptedBackend(), clock: ManualClock = ManualClock(),
        state: any SessionStore = VolatileStateStore(), guesses: any GuessLimiting = UnlimitedGuesses(),
        tokenSecrets: SecretRing = SecretRing(current: .one), denials: DenialCache = DenialCache(),
        sessions: SessionLimiter? = nil, purchases: PurchaseDesk? = nil, change: (inout Publication) -> Void = { _ in }
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
        proxy = PublicationProxy(
            publication: publication, backend: backend,
            tokens: SealedTokenCodec(publication: id, secrets: tokenSecrets, random: .seeded(20)),
            editionSecrets: SecretRing(current: .two), state: state, revocations: revocations, guesses: guesses,
            sessions: sessions, references: ReferenceKey(.one), denials: denials, clock: clock.wall,
            random: .seeded(21),
            purchases: purchases, retryAfter: 17, observe: { events.note($0) })
    }

    func signIn(_ email: String = "jane@example.com", _ password: String = "right", device: String? = nil) async throws
        -> SignInAnswer
    {
        var fields = ["email": email, "password": password]
        fields["device"] = device
        return try await proxy.signIn(Inquiry(fields: fields))
    }

    func token(_ email: String = "jane@example.com", device: String? = nil) async throws -> String {
        try #require(try await signIn(email, device: device).token)
    }

    func verify(_ token: String) async throws -> Subscription {
        try await proxy.verify(token: token, Inquiry()).subscription
    }

    func credentials(_ token: String, _ edition: String? = EditionID.first.rawValue) async throws -> CredentialsAnswer {
        try await proxy.editionCredentials(token: token, edition: edition, Inquiry())
    }

    /// What the gate says of the pair at this moment.
    func gate(_ pair: EditionCredentials?, _ edition: EditionID = .first) throws -> EditionCredentialsVerdict {
        EditionCredentialsVerifier(
            publication: proxy.publication.id, secrets: SecretRing(current: .two), acceptsPlainSalts: false,
            resumeWindow: 0
        ).verify(try #require(pair), for: edition, at: clock.now, revocations: revocations)
    }
}

extension SignInAnswer {
    var token: String? {
        if case .signedIn(let token, _, _) = self { token } else { nil }
    }

    var refusal: SignInRefusal? {
        if case .refused(let refusal) = self { refusal } else { nil }
    }
}

extension CredentialsAnswer {
    var pair: EditionCredentials? {
        if case .granted(let pair, _, _) = self { pair } else { nil }
    }

    var refusal: CredentialsRefusal? {
        if case .refused(let refusal, _) = self { refusal } else { nil }
    }
}

extension EditionCredentialsVerdict {
    var isAccepted: Bool {
        if case .accepted = self { true } else { false }
    }
}

/// A state store that can not be asked.
struct BrokenStateStore: SessionStore {
    struct Down: Error {}
    func admit(
        _ device: DeviceReference, of subscriber: SubscriberReference, in publication: PublicationID,
        limit: DeviceLimit, at moment: Date
    ) async throws -> DeviceRegistration { throw Down() }
    func devices(of subscriber: SubscriberReference, in publication: PublicationID) async throws -> [Device] {
        throw Down()
    }
    func touch(
        _ device: DeviceReference, of subscriber: SubscriberReference, in publication: PublicationID, at moment: Date
    ) async throws { throw Down() }
    func remove(
        _ device: DeviceReference, of subscriber: SubscriberReference, in publication: PublicationID
    ) async throws { throw Down() }
    func record(_ revocation: Revocation) async throws { throw Down() }
    func note(_ bounds: TokenBounds, of publication: PublicationID) async throws { throw Down() }
    func revocations(after sequence: Int64, limit: Int) async throws -> RevocationPage { throw Down() }
    func maintain() async throws -> [PublicationID: Date] { throw Down() }
    func rememberAcquaintance(_ digest: [UInt8], of identifier: [UInt8]) async throws { throw Down() }
    func isAcquainted(_ digest: [UInt8]) async throws -> Bool { throw Down() }
    func health() async throws { throw Down() }
}
