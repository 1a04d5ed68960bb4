/// A backend that opens a session of its own at sign-in.
public protocol SigningOutBackend: SubscriberBackend {
    /// Ends the session that the backend opened at sign-in.
    func signOut(_ subscriber: Subscriber, context: CallContext) async throws
}
