/// The session of a token with the reader's pseudonym, which is computed once for all uses.
struct AuthenticatedSession: Sendable {
    let session: Session
    let reference: SubscriberPseudonym

    var subject: SaltSubject {
        SaltSubject(subscriber: reference, session: session.reference, issuedAt: session.issuedAt)
    }
}
