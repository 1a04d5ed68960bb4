import Gatefold

/// A backend in a chain, and what its answers do there.
struct ChainMember: Sendable {
    let backend: any SubscriberBackend
    let rule: ChainRule
}

/// One system in which a reader of a chain is known.
struct ChainMembership: Sendable {
    let backend: any SubscriberBackend
    /// The reader there, with the system's own session.
    let subscriber: Subscriber
}
