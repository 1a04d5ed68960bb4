/// A backend that opens a session of its own at sign-in.
public protocol SigningOutBackend: SubscriberBackend {
    /// Ends the session that the backend opened at sign-in.
    func signOut(_ subscriber: Subscriber, context: CallContext) async throws

    /// Returns whether the subscriber lacks that session, so that the backend may not know the subscriber.
    func lacksSession(_ subscriber: Subscriber) -> Bool
}

extension SigningOutBackend {
    public func lacksSession(_ subscriber: Subscriber) -> Bool { subscriber.upstreamSession == nil }
}
