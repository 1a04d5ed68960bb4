import Foundation
import Gatefold
import TestSupport
import Testing

/// A publication whose readers register by themselves, with everything around it in memory.
struct AccountRig {
    let readers: VolatileSubscribers
    let book = VolatileAccountBook()
    let clock = ManualClock()
    let revocations: RevocationList
    let proxy: PublicationProxy
    let desk: AccountDesk

    static let ada = "ada@example.com"

    init(
        _ id: PublicationID = .daily, readers: VolatileSubscribers = VolatileSubscribers(),
        state: any SessionStore = VolatileStateStore(), guesses: any GuessLimiting = UnlimitedGuesses(),
        proofs: [String] = ["password"]
    ) {
        self.readers = readers
        revocations = RevocationList(publication: id)
        var publication = Publication(
            id: id, credentialFields: CredentialFields(identifier: "email", proofs: proofs),
            rule: EntitlementRule(
                policy: .issueBased,
                catalogue: Catalogue([Edition(id: .first, title: "First", published: .after(-86_400), isFree: true)])))
        publication.deviceField = "device"
        publication.deviceLimit = DeviceLimit(most: 9, excess: .refuse)
        proxy = PublicationProxy(
            publication: publication, backend: readers,
            tokens: SealedTokenCodec(
                publication: id, secrets: SecretRing(current: .one), random: .seeded(40)),
            editionSecrets: SecretRing(current: .two), state: state, revocations: revocations, guesses: guesses,
            references: ReferenceKey(.one), clock: clock.wall, random: .seeded(41))
        desk = AccountDesk(proxy: proxy, book: book, secrets: SecretRing(current: .one))
    }

    func inquiry(_ email: String = ada, _ password: String = "first password", device: String? = nil) -> Inquiry {
        var fields = ["email": email, "password": password]
        fields["device"] = device
        return Inquiry(fields: fields, client: ClientAddress("192.0.2.1"))
    }

    @discardableResult
    func register(
        _ email: String = ada, _ password: String = "first password", device: String? = nil
    ) async throws -> String {
        try await desk.register(
            AccountDetails(identifier: email), password: password, inquiry(email, password, device: device))
    }

    /// Nil where the reader is not let in.
    func signIn(
        _ email: String = ada, _ password: String = "first password", device: String? = nil
    ) async throws -> String? {
        try await proxy.signIn(inquiry(email, password, device: device)).token
    }

    func change(_ token: String, from old: String = "first password", to new: String = "other password") async throws {
        try await desk.changePassword(token: token, from: old, to: new, Inquiry())
    }

    func ticket(_ email: String = ada) async throws -> String {
        try #require(try await desk.resetPassword(of: email, Inquiry())).ticket
    }

    func isGood(_ token: String) -> Bool { proxy.session(token: token) != nil }

    func subscriber(_ token: String) throws -> Subscriber { try #require(proxy.session(token: token)).subscriber }

    /// Whether a salt of this session opens the gate at this moment.
    func opensGate(_ pair: EditionCredentials?) throws -> Bool {
        EditionCredentialsVerifier(
            publication: proxy.publication.id, secrets: SecretRing(current: .two), acceptsPlainSalts: false,
            resumeWindow: 0
        ).verify(try #require(pair), for: .first, at: clock.now, revocations: revocations).isAccepted
    }

    func pair(_ token: String) async throws -> EditionCredentials? {
        try await proxy.editionCredentials(token: token, edition: EditionID.first.rawValue, Inquiry()).pair
    }
}
