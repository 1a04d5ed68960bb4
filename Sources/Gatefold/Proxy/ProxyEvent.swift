/// What the proxy did, for logs and metrics. Holds no credential, token or name.
public enum ProxyEvent: Sendable, Equatable {
    case signedIn(SubscriberReference)
    case renewed(SubscriberReference)
    case verified(SubscriberReference, SubscriptionState)
    case credentialsIssued(SubscriberReference, EditionID)
    case signedOut(SubscriberReference)
    case signInRefused(SignInRefusal.Reason)
    case credentialsRefused(CredentialsRefusal.Reason?)
    /// Credentials were handed out although the backend could not be asked.
    case failedOpen(SubscriberReference, EditionID)
    case deviceEvicted(SubscriberReference)
    /// - Parameter cause: what failed, without secrets.
    case backendFailed(backend: String, cause: String)
    case stateStoreFailed(cause: String)
}
