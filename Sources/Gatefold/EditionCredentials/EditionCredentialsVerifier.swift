public import Foundation

/// Checks the pairs that apps send when they download. Pure: the same question has the same answer.
///
/// What a salt says by itself, for ever, is remembered once a good password came with it: an app asks for each file of an edition
/// with the same pair. Expiry and revocation are looked at each time.
public struct EditionCredentialsVerifier: Sendable {
    private struct Salt: Hashable {
        let text: ExactText
        let edition: EditionID
    }

    private struct Reading {
        /// With the salt, by each secret.
        let passwords: [String]
        /// Nil for a plain salt.
        let sealed: SealedSalt?
    }

    private let secrets: [Secret]
    private let sealer: SaltSealer
    private let acceptsPlainSalts: Bool
    private let resumeWindow: TimeInterval
    private let known = RecentMemory<Salt, Reading>(capacity: 10_000)

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
        let reading = known.value(Salt(text: ExactText(credentials.userid), edition: edition)) {
            let passwords = secrets.map { EditionPassword.make(edition: edition, salt: credentials.userid, secret: $0) }
            guard Self.has(passwords, credentials.password) else { return nil }
            return Reading(passwords: passwords, sealed: sealer.open(credentials.userid, for: edition))
        }
        guard let reading, Self.has(reading.passwords, credentials.password) else { return .wrongPassword }
        guard let salt = reading.sealed else { return acceptsPlainSalts ? .accepted(nil) : .unsealed }
        let holder = SaltHolder(subscriber: salt.subscriber, session: salt.session, issuedAt: salt.sessionIssuedAt)
        if revocations.isRevoked(holder) { return .revoked(holder) }
        // It may have been revoked, and nobody remembers it.
        if revocations.hasForgotten(salt.expiresAt) { return .expired(holder) }
        if moment < salt.expiresAt { return .accepted(holder) }
        return moment < salt.expiresAt.addingTimeInterval(resumeWindow)
            ? .expiredButResumable(holder) : .expired(holder)
    }

    /// Every one is compared, whichever matches, so that the time does not tell which.
    private static func has(_ passwords: [String], _ password: String) -> Bool {
        passwords.reduce(false) { isEqualInConstantTime($1.utf8, password.utf8) || $0 }
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
