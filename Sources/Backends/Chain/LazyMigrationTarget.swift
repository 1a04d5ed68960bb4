import Gatefold

/// A backend with a store of our own that accepts readers whom another system authenticated.
protocol LazyMigrationTarget: SubscriberBackend {
    /// Writes the reader's identifier, proof and subscription to the store.
    ///
    /// - Parameters:
    ///   - credentials: Correct credentials. The store holds the proof only as a hash.
    ///   - origins: The reader in each system that authenticated the credentials, at least one.
    ///   - subscription: The reader's current subscription in the other systems.
    /// - Throws: An error if the write fails. A later sign-in tries again.
    func migrate(
        _ credentials: Credentials, from origins: [LazyMigrationOrigin], subscription: Subscription
    ) async throws -> LazyMigrationOutcome
}

/// The identity of a migrated reader in another system. It is needed because the same identifier may belong to two
/// people in two systems.
struct LazyMigrationOrigin: Sendable, Equatable {
    let backend: String
    /// The pseudonym of the reader in that system.
    let reference: SubscriberPseudonym
}

enum LazyMigrationOutcome: Sendable, Equatable {
    case written
    /// The reader was already stored with the same proof and subscription.
    case unchanged
    /// The operator created a reader with that identifier. The reader is left unchanged.
    case ownedByOperator
    /// A reader of another system has that identifier. The reader is left unchanged.
    case ownedByOtherBackend(backend: String)
}
