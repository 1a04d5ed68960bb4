/// What the app is told about a subscription (PROTOCOLS 1.2).
public enum SubscriptionState: String, Sendable, CaseIterable {
    /// Nobody we know.
    case unknown
    case active
    /// Known, and not paying at present; may still hold editions.
    case inactive
    case suspended
    /// The token is too old: the app renews it or asks for the credentials again.
    case stale
}
