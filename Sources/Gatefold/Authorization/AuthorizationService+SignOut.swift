import Foundation
import Primitives

extension AuthorizationService {
    /// Ends the session: its token, its renewals, and all credentials with its sealed salt.
    ///
    /// An expired or invalid token is no error, because the reader is then signed out.
    ///
    /// - Throws: ``Unavailable`` if the revocation could not be stored. It is then not in effect.
    public func signOut(token: String, _ context: CallContext) async throws {
        do {
            try await endSession(of: token, context)
        } catch let failure as Unavailable {
            throw refused(failure, .signOut)
        }
    }

    private func endSession(of token: String, _ context: CallContext) async throws {
        guard let session = tokens.open(token) else { return }
        // A session with the issue time `.distantFuture` belongs to a test user. All testers share it, so no tester
        // may end it.
        guard session.issuedAt < .distantFuture else { return }
        let subject = subject(of: session)
        guard !revocations.isRevoked(subject) else { return }
        // A session that is opened right after a revocation has the next second as its issue time. The revocation
        // must end that session, too.
        let revocation = Revocation(
            publication: publication.id, subscriber: subject.subscriber, session: subject.session,
            at: max(clock.now, session.issuedAt))
        // The device is removed first. If either step fails, the token is still valid and the app can retry both.
        if let device = session.device {
            try await withStore { try await state.remove(device, of: subject.subscriber, in: publication.id) }
        }
        try await withStore { try await state.record(revocation) }
        revocations.add(revocation)
        observe(.signedOut(subject.subscriber))
        record(.sessionEnded, of: session.subscriber, as: subject.subscriber, device: session.device)
        // Gatefold's own session has ended, even if the backend's sign-out fails.
        _ = try? await queryBackend { try await backend.signOut(session.subscriber, context: context) }
    }
}
