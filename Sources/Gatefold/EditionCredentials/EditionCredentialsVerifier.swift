public import Foundation

/// Checks the pairs that apps send when they download. Pure: the same question has the same answer.
public struct EditionCredentialsVerifier: Sendable {
    private let secrets: [Secret]
    private let sealer: SaltSealer
    private let acceptsPlainSalts: Bool
    private let resumeWindow: TimeInterval

    /// - Parameters:
    ///   - secrets: the publication's; every one of them verifies.
    ///   - acceptsPlainSalts: false where every salt in use is sealed, so that none escapes its expiry.
    ///   - resumeWindow: for so many seconds after a sealed salt's expiry ``verify(_:for:at:revocations:)`` still
    ///     answers ``EditionCredentialsVerdict/expiredButResumable(_:)``.
    public init(
        publication: PublicationID, secrets: SecretRing, acceptsPlainSalts: Bool, resumeWindow: TimeInterval
    ) {
        self.secrets = secrets.all
        self.acceptsPlainSalts = acceptsPlainSalts
        self.resumeWindow = resumeWindow
        sealer = SaltSealer(publication: publication, secrets: secrets, random: .system)
    }

    public func verify(
        _ credentials: EditionCredentials, for edition: EditionID, at moment: Date, revocations: RevocationList
    ) -> EditionCredentialsVerdict {
        guard (1...128).contains(credentials.userid.utf8.count), !credentials.userid.utf8.contains(UInt8(ascii: ":")),
            EditionPassword.isWellFormed(credentials.password)
        else { return .malformed }
        var matches = false
        for secret in secrets {
            let expected = EditionPassword.make(edition: edition, salt: credentials.userid, secret: secret)
            // Every secret is tried, whichever matches, so that the time does not tell which.
            matches = isEqualInConstantTime(expected.utf8, credentials.password.utf8) || matches
        }
        guard matches else { return .wrongPassword }
        guard let salt = sealer.open(credentials.userid, for: edition) else {
            return acceptsPlainSalts ? .accepted(nil) : .unsealed
        }
        let holder = SaltHolder(subscriber: salt.subscriber, session: salt.session, issuedAt: salt.sessionIssuedAt)
        if revocations.isRevoked(holder) { return .revoked(holder) }
        if moment < salt.expiresAt { return .accepted(holder) }
        return moment < salt.expiresAt.addingTimeInterval(resumeWindow)
            ? .expiredButResumable(holder) : .expired(holder)
    }
}

/// What there is to say about a pair; only the log learns which refusal it was.
public enum EditionCredentialsVerdict: Sendable, Equatable {
    /// Good; names the holder where the salt is sealed.
    case accepted(SaltHolder?)
    /// Too late to begin a download, in time to resume one.
    case expiredButResumable(SaltHolder)
    case expired(SaltHolder)
    case revoked(SaltHolder)
    case wrongPassword
    /// A good pair with a plain salt where only sealed ones are issued.
    case unsealed
    case malformed
}
