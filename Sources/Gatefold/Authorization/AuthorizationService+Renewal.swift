extension AuthorizationService {
    /// Issues a new token for an old token that is valid, or expired within its renewal window, if the backend
    /// still knows the reader.
    ///
    /// The new token belongs to the same session. A sign-out with either token ends both, and so does a revocation
    /// that another process recorded and that has not yet reached this process.
    ///
    /// Source: Design rules, “Tokens are sealed and stateless”.
    ///
    /// - Throws: ``Unavailable`` if the backend was unavailable, or the revocations are too old.
    public func renew(token: String, _ context: CallContext) async throws -> SignInResult {
        switch read(token) {
        case .unreadable, .revoked:
            return reject(.rejected, message(.tokenRejected, context))
        case .expired:
            return reject(.rejected, message(.tokenExpired, context))
        case .good(let authenticated), .renewable(let authenticated):
            try checkRevocationAge()
            let session = authenticated.session
            let authentication = try await queryBackend {
                try await backend.renew(session.subscriber, context: context)
            }
            // The reader may have signed out during the query to the backend.
            if revocations.isRevoked(authenticated.subject) {
                return reject(.rejected, message(.tokenRejected, context))
            }
            switch authentication {
            case .rejected(let messageText, _):
                denials.record(denialKey(of: authenticated, context), .unknown)
                return reject(.rejected, messageText ?? message(.tokenRejected, context))
            case .authenticated(let subscriber):
                let result = try open(
                    subscriber, device: session.device, reference: session.reference, issuedAt: session.issuedAt)
                if case .signedIn = result { observe(.renewed(pseudonymKey.reference(to: subscriber))) }
                return result
            }
        }
    }
}
