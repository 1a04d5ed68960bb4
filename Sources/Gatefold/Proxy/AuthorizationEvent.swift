/// An event of the proxy, for logs and metrics. It contains no credential, token or name.
public enum AuthorizationEvent: Sendable, Equatable {
    case signedIn(SubscriberPseudonym)
    case renewed(SubscriberPseudonym)
    case verified(SubscriberPseudonym, SubscriptionState)
    case credentialsIssued(SubscriberPseudonym, EditionID)
    case signedOut(SubscriberPseudonym)
    case signInRejected(SignInRejection.Reason)
    case credentialsRejected(CredentialsRejection.Reason?)
    /// Credentials were issued although the backend was unavailable.
    case failedOpen(SubscriberPseudonym, EditionID)
    case deviceEvicted(SubscriberPseudonym)
    /// - Parameter cause: The cause of the failure, without secrets.
    case backendFailed(backend: String, cause: String)
    case stateStoreFailed(cause: String)
}
