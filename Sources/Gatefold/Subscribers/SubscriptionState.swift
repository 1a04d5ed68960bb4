/// The subscription state that the app receives. Source: Pugpig protocol, “Subscription states”.
public enum SubscriptionState: String, Sendable, CaseIterable {
    /// The subscriber is unknown.
    case unknown
    case active
    /// The subscriber is known but does not pay at present. Editions may still be owned.
    case inactive
    case suspended
    /// The token is too old. The app renews it or requests the credentials again.
    case stale
}
