/// A backend that takes part in the renewal of tokens.
///
/// Without it, a token is renewed as long as the subscription has another state than `unknown`.
public protocol RenewingBackend: SubscriberBackend {
    /// Returns whether a reader whose token is to be renewed is still known, and the reader's current subscriber.
    func renew(_ subscriber: Subscriber, context: CallContext) async throws -> AuthenticationResult
}
