extension PublicationProxy {
    /// A new token for an old one that is good, or expired inside its renewal window, if the backend still knows the
    /// reader (DESIGN "Tokens").
    ///
    /// The new token stands for the same session: signing out with either ends both, and so does a revocation that another
    /// process recorded and this one has not heard of yet.
    ///
    /// - Throws: ``Unavailable`` when the backend could not be asked.
    public func renew(token: String, _ inquiry: Inquiry) async throws -> SignInAnswer {
        switch read(token) {
        case .unreadable, .revoked:
            return refuse(.notRecognised, message(.tokenNotRecognised, inquiry))
        case .expired:
            return refuse(.notRecognised, message(.tokenExpired, inquiry))
        case .good(let who), .renewable(let who):
            let session = who.session
            let recognition = try await ask { try await backend.renew(session.subscriber, inquiry: inquiry) }
            // The reader may have signed out while the backend was asked.
            if revocations.isRevoked(who.holder) {
                return refuse(.notRecognised, message(.tokenNotRecognised, inquiry))
            }
            switch recognition {
            case .notRecognised(let words, _):
                denials.note(memory(of: who, inquiry), .unknown)
                return refuse(.notRecognised, words ?? message(.tokenNotRecognised, inquiry))
            case .recognised(let subscriber):
                let answer = try open(
                    subscriber, device: session.device, reference: session.reference, issuedAt: session.issuedAt)
                if case .signedIn = answer { observe(.renewed(references.reference(to: subscriber))) }
                return answer
            }
        }
    }
}
