public import Foundation

/// Checks the pair an app sends for the feed: its token and the `global_auth_password` it got with it (PROTOCOLS 1.2).
///
/// The token must be good by itself, so that an edition's salt and password can not open the feed; the empty edition in
/// the formula is no ``EditionID``, so that this pair can not open an edition.
public struct FeedCredentialsVerifier: Sendable {
    private let secrets: [Secret]
    private let tokens: any TokenCodec
    private let references: ReferenceKey

    public init(secrets: SecretRing, tokens: any TokenCodec, references: ReferenceKey) {
        self.secrets = secrets.all
        self.tokens = tokens
        self.references = references
    }

    /// Returns the holder of a valid, unexpired, unrevoked token with its password; nil for anything else, and for a token
    /// whose revocation may have been deleted already, as it would be accepted again if the clock was set back.
    public func verify(token: String, password: String, at moment: Date, revocations: RevocationList) -> SaltHolder? {
        guard EditionPassword.isWellFormed(password), token.utf8.count <= SealedTokenCodec.longestToken else {
            return nil
        }
        var matches = false
        for secret in secrets {
            let expected = EditionPassword.makeForFeed(token: token, secret: secret)
            matches = isEqualInConstantTime(expected.utf8, password.utf8) || matches
        }
        guard matches, let session = tokens.open(token), moment < session.expiresAt,
            !revocations.hasForgotten(session.expiresAt)
        else { return nil }
        let holder = SaltHolder(
            subscriber: references.reference(to: session.subscriber), session: session.reference,
            issuedAt: session.issuedAt)
        return revocations.isRevoked(holder) ? nil : holder
    }
}
