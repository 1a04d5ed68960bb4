import Foundation

extension PublicationProxy {
    /// Ends the session: its token, its renewals, and what was handed out under sealed salts.
    ///
    /// A token that is no longer good, or never was, is an answer like any other: the reader is signed out.
    ///
    /// - Throws: ``Unavailable`` when the end could not be written down; it is then not in force.
    public func signOut(token: String, _ inquiry: Inquiry) async throws {
        guard let session = tokens.open(token) else { return }
        // A session from the end of time is the test users': everybody shares it, so nobody may end it for the others.
        guard session.issuedAt < .distantFuture else { return }
        let holder = holder(of: session)
        guard !revocations.isRevoked(holder) else { return }
        // A session opened right after another's end counts as issued in the next second; it is ended all the same.
        let revocation = Revocation(
            publication: publication.id, subscriber: holder.subscriber, session: holder.session,
            at: max(clock.now, session.issuedAt))
        // The device first: should either fail, the token is still good and the app can ask again for both.
        if let device = session.device {
            try await keep { try await state.remove(device, of: holder.subscriber, in: publication.id) }
        }
        try await keep { try await state.record(revocation) }
        revocations.add(revocation)
        observe(.signedOut(holder.subscriber))
        // Ours is ended whether or not the backend hears of it.
        _ = try? await ask { try await backend.signOut(session.subscriber, inquiry: inquiry) }
    }
}
