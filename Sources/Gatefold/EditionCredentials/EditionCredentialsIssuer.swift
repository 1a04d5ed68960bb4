public import Foundation
public import Primitives

/// An issuer of a publication's edition credentials. The issuer always chooses the salt; a client never does.
public struct EditionCredentialsIssuer: Sendable {
    private let secret: Secret
    private let form: SaltFormat
    private let sealer: SaltSealer
    private let random: RandomSource

    public init(publication: PublicationID, secrets: SecretRing, form: SaltFormat, random: RandomSource) {
        secret = secrets.current
        self.form = form
        self.random = random
        sealer = SaltSealer(publication: publication, secrets: secrets, random: random)
    }

    /// Returns credentials for the edition. With sealed salts they are valid until `expiresAt`, but no longer than
    /// the session.
    ///
    /// - Parameters:
    ///   - edition: The edition.
    ///   - subject: The session that the credentials belong to.
    ///   - expiresAt: The time at which the credentials expire.
    ///   - sealing: `true` to seal the salt regardless of the publication's salt type, for short-lived credentials.
    public func issue(
        _ edition: EditionID, for subject: SaltSubject, until expiresAt: Date, sealing: Bool = false
    ) throws -> EditionCredentials {
        let salt =
            switch sealing ? .sealed : form {
            case .plain: randomSalt()
            case .sealed:
                try sealer.seal(
                    SealedSalt(
                        expiresAt: expiresAt, subscriber: subject.subscriber, session: subject.session,
                        sessionIssuedAt: subject.issuedAt),
                    for: edition)
            }
        return EditionCredentials(
            userid: salt, password: EditionPassword.make(edition: edition, salt: salt, secret: secret))
    }

    /// Returns credentials that open nothing: the formula with an empty edition and a salt that is not a token.
    ///
    /// Only the test backend's users `peter` and `longjson` get them. Source: Pugpig test endpoint and test
    /// console, “Test users”.
    public func issueForNoEdition() -> EditionCredentials {
        let salt = randomSalt()
        return EditionCredentials(userid: salt, password: EditionPassword.makeForFeed(token: salt, secret: secret))
    }

    private func randomSalt() -> String { Hexadecimal.encode(random.bytes(16)) }
}
