import Gatefold

/// A backend in a chain and the rule for its results.
struct ChainMember: Sendable {
    let backend: any SubscriberBackend
    let rule: ChainRule
}

/// A system in which a reader of a chain is known.
struct ChainMembership: Sendable {
    let backend: any SubscriberBackend
    /// The reader in that system, with the system's own session.
    let subscriber: Subscriber
}
