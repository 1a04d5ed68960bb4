public import Foundation
public import Primitives

/// A verifier of the edition credentials that apps send with downloads. It is pure: the same input has the same
/// result.
///
/// An app sends the same credentials for each file of an edition. The verifier therefore caches the permanent
/// contents of a salt after its password has matched once. It checks expiry and revocation on each call.
public struct EditionCredentialsVerifier: Sendable {
    private struct Salt: Hashable {
        let text: ByteExactString
        let edition: EditionID
    }

    private struct CachedSalt {
        /// The passwords of the salt, one for each secret.
        let passwords: [String]
        /// The contents of a sealed salt; nil for a plain salt.
        let sealed: SealedSalt?
    }

    private let secrets: [Secret]
    private let sealer: SaltSealer
    private let acceptsPlainSalts: Bool
    private let resumeWindow: TimeInterval
    private let known = GenerationalCache<Salt, CachedSalt>(capacity: 10_000)

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - publication: The identifier of the publication.
    ///   - secrets: The publication's secrets. Each of them verifies.
    ///   - acceptsPlainSalts: `false` if all salts in use are sealed, so that every salt expires.
    ///   - resumeWindow: The time in seconds after a sealed salt's expiry during which
    ///     ``verify(_:for:at:revocations:)`` returns ``EditionCredentialsVerdict/expiredButResumable(_:)``.
    public init(
        publication: PublicationID, secrets: SecretRing, acceptsPlainSalts: Bool, resumeWindow: TimeInterval
    ) {
        self.secrets = secrets.all
        self.acceptsPlainSalts = acceptsPlainSalts
        self.resumeWindow = resumeWindow
        sealer = SaltSealer(publication: publication, secrets: secrets, random: .system)
    }

    public func verify(
        _ credentials: EditionCredentials, for edition: EditionID, at timestamp: Date, revocations: RevocationList
    ) -> EditionCredentialsVerdict {
        guard (1...128).contains(credentials.userid.utf8.count), !credentials.userid.utf8.contains(UInt8(ascii: ":")),
            EditionPassword.isWellFormed(credentials.password)
        else { return .malformed }
        let reading = known.value(Salt(text: ByteExactString(credentials.userid), edition: edition)) {
            let passwords = secrets.map { EditionPassword.make(edition: edition, salt: credentials.userid, secret: $0) }
            guard Self.has(passwords, credentials.password) else { return nil }
            return CachedSalt(passwords: passwords, sealed: sealer.open(credentials.userid, for: edition))
        }
        guard let reading, Self.has(reading.passwords, credentials.password) else { return .wrongPassword }
        guard let salt = reading.sealed else { return acceptsPlainSalts ? .accepted(nil) : .unsealed }
        let subject = SaltSubject(subscriber: salt.subscriber, session: salt.session, issuedAt: salt.sessionIssuedAt)
        if revocations.isRevoked(subject) { return .revoked(subject) }
        // The salt may have been revoked, but the revocation may already be deleted.
        if revocations.hasPruned(salt.expiresAt) { return .expired(subject) }
        if timestamp < salt.expiresAt { return .accepted(subject) }
        return timestamp < salt.expiresAt.addingTimeInterval(resumeWindow)
            ? .expiredButResumable(subject) : .expired(subject)
    }

    /// Compares all passwords even after a match, so that the timing does not reveal which password matches.
    private static func has(_ passwords: [String], _ password: String) -> Bool {
        passwords.reduce(false) { isEqualInConstantTime($1.utf8, password.utf8) || $0 }
    }
}

/// The result of verifying edition credentials. The reason of a denial is only logged.
public enum EditionCredentialsVerdict: Sendable, Equatable {
    /// The credentials are valid. The associated value is the salt's holder if the salt is sealed.
    case accepted(SaltSubject?)
    /// The credentials have expired. They cannot start a download, but can still resume one.
    case expiredButResumable(SaltSubject)
    case expired(SaltSubject)
    case revoked(SaltSubject)
    case wrongPassword
    /// The password is correct, but the salt is plain and the publication issues only sealed salts.
    case unsealed
    case malformed
}
