import Foundation

extension AccountDesk {
    /// Makes a subscriber and an account, and signs in.
    ///
    /// That an identifier is taken has to be said, and tells that somebody of it exists: so every registration costs its address
    /// as much as a wrong guess does.
    ///
    /// - Parameters:
    ///   - details: their identifier is the new subscriber's.
    ///   - inquiry: has the fields of a sign-in with the same identifier and password.
    /// - Returns: the token that sign-in hands out.
    /// - Throws: ``AccountRefusal`` or ``Unavailable``.
    public func register(_ details: AccountDetails, password: String, _ inquiry: Inquiry) async throws -> String {
        guard let registry = proxy.backend.registry else { throw AccountRefusal.notOffered }
        if let field = details.unacceptable { throw AccountRefusal.unacceptable(field) }
        // Before the fields of the sign-in are: a password that is too long for those is no fault of the identifier.
        guard passwords.accepts(password) else { throw AccountRefusal.unacceptablePassword }
        guard let typed = proxy.publication.credentialFields.credentials(from: inquiry.fields), typed.form == .typed,
            typed.identifier == CredentialFields.fold(details.identifier),
            let proof = typed[registry.passwordField],
            // Else the reader would be made, and could not sign in.
            isEqualInConstantTime(Array(proof.utf8), Array(password.utf8))
        else { throw AccountRefusal.unacceptable(.identifier) }
        let registered = try await counted(typed, inquiry, by: errands) {
            (try await registry.register(identifier: typed.identifier, password: password), isRight: false)
        }
        guard let subscriber = registered else { throw AccountRefusal.identifierTaken }
        // From here on the reader exists: what fails now can be made up for by signing in.
        var known = details
        known.identifier = typed.identifier
        _ = try await openAccount(of: subscriber, details: known)
        switch try await proxy.signIn(inquiry) {
        case .signedIn(let token, _, _): return token
        case .refused(let refusal):
            if case .throttled(let wait) = refusal.reason { throw AccountRefusal.throttled(retryAfter: wait) }
            throw AccountRefusal.notSignedIn
        }
    }

    /// Does something that whoever guesses would like to do often, under limits.
    ///
    /// - Parameter work: says whether it was a right guess; false counts as a wrong one.
    /// - Throws: ``AccountRefusal/throttled(retryAfter:)``, ``Unavailable``.
    func counted<Answer: Sendable>(
        _ credentials: Credentials, _ inquiry: Inquiry, by limiter: any GuessLimiting,
        _ work: () async throws -> (Answer, isRight: Bool)
    ) async throws -> Answer {
        let attempt = proxy.references.attempt(
            credentials, publication: proxy.publication.id, device: nil, client: inquiry.client)
        switch await limiter.admit(attempt, at: proxy.clock.elapsed, isAcquainted: { false }) {
        case .throttled(let wait):
            throw AccountRefusal.throttled(retryAfter: wait)
        case .busy(let wait):
            throw Unavailable(retryAfter: wait, cause: "too many attempts are under way")
        case .proceed(let ticket):
            do {
                let (answer, isRight) = try await proxy.ask(work)
                limiter.settle(ticket, as: isRight ? .right : .wrong, at: proxy.clock.elapsed)
                if !isRight { await proxy.hesitation.wait() }
                return answer
            } catch {
                limiter.settle(ticket, as: .undecided, at: proxy.clock.elapsed)
                throw error
            }
        }
    }
}
