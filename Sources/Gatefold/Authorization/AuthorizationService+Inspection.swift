import Foundation
import Primitives

/// A token as an operator sees it.
package struct InspectedToken: Sendable {
    package enum Verdict: String, Sendable, CaseIterable {
        case valid, expired, revoked
    }

    package let session: Session
    package let subscriber: SubscriberPseudonym
    package let verdict: Verdict
}

extension AuthorizationService {
    /// Returns the content of a token and whether it is valid; nil if it is no token of the publication. The backend is not
    /// queried.
    package func inspect(token: String) -> InspectedToken? {
        guard let session = tokens.open(token) else { return nil }
        let subject = subject(of: session)
        let isExpired = session.expiresAt <= clock.now
        return InspectedToken(
            session: session, subscriber: subject.subscriber,
            verdict: revocations.isRevoked(subject) ? .revoked : isExpired ? .expired : .valid)
    }
}
