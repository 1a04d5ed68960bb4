public import Foundation

/// Makes a publication's edition credentials. Salts are always ours, never the client's.
public struct EditionCredentialsIssuer: Sendable {
    private let secret: Secret
    private let form: SaltForm
    private let sealer: SaltSealer
    private let random: RandomSource

    public init(publication: PublicationID, secrets: SecretRing, form: SaltForm, random: RandomSource) {
        secret = secrets.current
        self.form = form
        self.random = random
        sealer = SaltSealer(publication: publication, secrets: secrets, random: random)
    }

    /// Credentials for the edition; with sealed salts good until `expiresAt` and no longer than the session.
    ///
    /// - Parameter sealing: seals the salt in any case, for credentials that must not live long.
    public func issue(
        _ edition: EditionID, for holder: SaltHolder, until expiresAt: Date, sealing: Bool = false
    ) throws -> EditionCredentials {
        let salt =
            switch sealing ? .sealed : form {
            case .plain: randomSalt()
            case .sealed:
                try sealer.seal(
                    SealedSalt(
                        expiresAt: expiresAt, subscriber: holder.subscriber, session: holder.session,
                        sessionIssuedAt: holder.issuedAt),
                    for: edition)
            }
        return EditionCredentials(
            userid: salt, password: EditionPassword.make(edition: edition, salt: salt, secret: secret))
    }

    /// Credentials that open nothing: the formula with an empty edition and a salt that is no token.
    ///
    /// Only the test backend's `peter` and `longjson` get them (PROTOCOLS 1.3).
    public func issueForNoEdition() -> EditionCredentials {
        let salt = randomSalt()
        return EditionCredentials(userid: salt, password: EditionPassword.makeForFeed(token: salt, secret: secret))
    }

    private func randomSalt() -> String { Hexadecimal.encode(random.bytes(16)) }
}

/// Whom a salt is for.
public struct SaltHolder: Sendable, Equatable {
    public let subscriber: SubscriberReference
    public let session: SessionReference
    /// When the session was issued.
    public let issuedAt: Date

    public init(subscriber: SubscriberReference, session: SessionReference, issuedAt: Date) {
        self.subscriber = subscriber
        self.session = session
        self.issuedAt = issuedAt
    }
}
