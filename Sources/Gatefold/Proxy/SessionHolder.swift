/// Whoever shows a token: the session it stands for, and the reader's pseudonym, looked up once for all that needs it.
struct SessionHolder: Sendable {
    let session: Session
    let reference: SubscriberReference

    var holder: SaltHolder {
        SaltHolder(subscriber: reference, session: session.reference, issuedAt: session.issuedAt)
    }
}
