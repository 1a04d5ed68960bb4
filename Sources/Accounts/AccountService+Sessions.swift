import Foundation
import Gatefold
import Primitives

extension AccountService {
    /// The revocation lists of this publication and of all publications that share its registry.
    var revocationLists: [RevocationList] { [authorizationService.revocations] + sharedRegistryPublications }

    /// Ends all sessions of a subscriber, or all but one of this publication.
    ///
    /// - Throws: `Unavailable` if a revocation could not be stored. The revocation is then not in effect in that
    ///   publication.
    func revokeSessions(of subscriber: Subscriber, exempting exempt: ExemptSession? = nil) async throws {
        for list in revocationLists {
            let revocation = makeRevocation(subscriber, exempting: exempt, in: list)
            try await authorizationService.withStore { try await authorizationService.state.record(revocation) }
            list.add(revocation)
        }
    }

    /// Ends the sessions that were opened with the former password between ``revokeSessions(of:exempting:)`` and the
    /// password change.
    ///
    /// A revocation that cannot be stored takes effect in this process only. The method throws no error, because
    /// the password is set and the caller must report that.
    func revokeLateSessions(of subscriber: Subscriber, exempting exempt: ExemptSession? = nil) async {
        let revocations = revocationLists.map { list in
            let revocation = makeRevocation(subscriber, exempting: exempt, in: list)
            list.add(revocation)
            return revocation
        }
        for revocation in revocations {
            _ = try? await authorizationService.withStore { try await authorizationService.state.record(revocation) }
        }
    }

    /// Creates a revocation. Its time is at or after the boundary of all earlier revocations, because a session
    /// that begins in the second of a revocation has that boundary as its issue time.
    private func makeRevocation(
        _ subscriber: Subscriber, exempting exempt: ExemptSession?, in list: RevocationList
    ) -> Revocation {
        let reference = authorizationService.pseudonymKey.reference(to: subscriber)
        let timestamp = max(authorizationService.clock.now, list.boundary(subscriber: reference))
        // The spared device has a different session in another publication, and that session may belong to another
        // person.
        guard let exempt, list.publication == authorizationService.publication.id else {
            return Revocation(publication: list.publication, subscriber: reference, session: nil, at: timestamp)
        }
        return Revocation(publication: list.publication, subscriber: reference, exempting: exempt, at: timestamp)
    }
}
