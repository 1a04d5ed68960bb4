import Gatefold

/// A backend in a chain and the rule for its results.
struct ChainMember: Sendable {
    let backend: ResolvedBackend
    let rule: ChainRule

    init(backend: any SubscriberBackend, rule: ChainRule) {
        self.backend = ResolvedBackend(backend)
        self.rule = rule
    }
}

/// A system in which a reader of a chain is known.
struct ChainMembership: Sendable {
    let backend: ResolvedBackend
    /// The reader in that system, with the system's own session.
    let subscriber: Subscriber
}
