/// The session of a token with the reader's pseudonym, which is computed once for all uses.
package struct AuthenticatedSession: Sendable {
    package let session: Session
    package let reference: SubscriberPseudonym

    package var subject: SaltSubject {
        SaltSubject(subscriber: reference, session: session.reference, issuedAt: session.issuedAt)
    }
}
