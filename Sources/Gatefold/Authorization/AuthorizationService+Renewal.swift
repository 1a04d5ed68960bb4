extension AuthorizationService {
    /// Issues a new token for an old token that is valid, or expired within its renewal window, if the backend
    /// still knows the reader.
    ///
    /// The new token belongs to the same session. A sign-out with either token ends both, and so does a revocation
    /// that another process recorded and that has not yet reached this process.
    ///
    /// Source: Design rules, “Tokens are sealed and stateless”.
    ///
    /// - Parameters:
    ///   - token: The old token.
    ///   - context: The context of the call.
    ///   - retainsInOutage: Whether a valid token is returned unchanged if the backend was unavailable or the revocations
    ///     are too old. It grants nothing more than before. Default: no.
    /// - Throws: ``Unavailable`` if the backend was unavailable, or the revocations are too old.
    public func renew(
        token: String, _ context: CallContext, retainsInOutage: Bool = false
    ) async throws -> SignInResult {
        let reading = read(token)
        switch reading {
        case .unreadable, .revoked: return reject(reading, of: token, message(.tokenRejected, context))
        case .expired: return reject(reading, of: token, message(.tokenExpired, context))
        case .good(let authenticated), .renewable(let authenticated):
            do {
                return try await renew(authenticated, context)
            } catch let failure as Unavailable {
                // The session may have ended during the query.
                if retainsInOutage, session(token: token) != nil {
                    return .signedIn(token: token, feedPassword: nil, notes: [])
                }
                throw refused(
                    failure, .renewal, of: authenticated.reference, by: authenticated.session.subscriber.backend)
            }
        }
    }

    private func renew(_ authenticated: AuthenticatedSession, _ context: CallContext) async throws -> SignInResult {
        try checkRevocationAge()
        let session = authenticated.session
        let authentication = try await queryBackend {
            try await backend.renew(session.subscriber, context: context)
        }
        // The reader may have signed out during the query to the backend.
        if revocations.isRevoked(authenticated.subject) {
            return reject(
                .rejected, message(.tokenRejected, context),
                refusal(.sessionRevoked, .renewal, of: authenticated.reference))
        }
        switch authentication {
        case .rejected(let messageText, _):
            denials.record(denialKey(of: authenticated, context), .unknown)
            return reject(
                .rejected, messageText ?? message(.tokenRejected, context),
                refusal(.readerUnknown, .renewal, of: authenticated.reference, by: session.subscriber.backend, .live))
        case .authenticated(let subscriber):
            let result = try open(
                subscriber, device: session.device, reference: session.reference, issuedAt: session.issuedAt, .renewal)
            if case .signedIn = result { observe(.renewed(pseudonymKey.reference(to: subscriber))) }
            return result
        }
    }

    private func reject(_ reading: TokenReadResult, of token: String, _ messageText: String?) -> SignInResult {
        let (reason, subscriber) = reading.refusal(token) ?? (.tokenUnreadable, nil)
        return reject(.rejected, messageText, refusal(reason, .renewal, of: subscriber))
    }
}
