public import Foundation
public import Primitives

/// A verifier of the credentials that an app sends for the feed: its token and the `global_auth_password` that it
/// received with the token. Source: Edition credentials and the content gate, “Feed password”.
///
/// The token must be valid, so that an edition's salt and password cannot open the feed. The empty edition in the
/// formula is not a valid ``EditionID``, so that these credentials cannot open an edition.
public struct FeedCredentialsVerifier: Sendable {
    private let secrets: [Secret]
    private let tokens: any TokenCodec
    private let pseudonymKey: PseudonymKey

    public init(secrets: SecretRing, tokens: any TokenCodec, pseudonymKey: PseudonymKey) {
        self.secrets = secrets.all
        self.tokens = tokens
        self.pseudonymKey = pseudonymKey
    }

    /// Returns the holder of a valid, unexpired, unrevoked token with a matching password, or nil otherwise.
    ///
    /// The result is also nil for a token whose revocation may already be deleted, because the token would be
    /// accepted again if the clock was set back.
    public func verify(token: String, password: String, at timestamp: Date, revocations: RevocationList) -> SaltSubject?
    {
        guard EditionPassword.isWellFormed(password), token.utf8.count <= SealedTokenCodec.maxTokenLength else {
            return nil
        }
        var matches = false
        for secret in secrets {
            let expected = EditionPassword.makeForFeed(token: token, secret: secret)
            matches = isEqualInConstantTime(expected.utf8, password.utf8) || matches
        }
        guard matches, let session = tokens.open(token), timestamp < session.expiresAt,
            !revocations.hasPruned(session.expiresAt)
        else { return nil }
        let subject = SaltSubject(
            subscriber: pseudonymKey.reference(to: session.subscriber), session: session.reference,
            issuedAt: session.issuedAt)
        return revocations.isRevoked(subject) ? nil : subject
    }
}
