import Gatefold
import Resilience
import Synchronization

/// Migration into a registry that is protected because nodes share it. A migrated reader's cached results are removed in
/// all nodes, so that none of them knows a former password.
extension ProtectedBackend: LazyMigrationTarget {
    func migrate(
        _ credentials: Credentials, from origins: [LazyMigrationOrigin], subscription: Subscription
    ) async throws -> LazyMigrationOutcome {
        // A drill replaces the registry by a backend to which no readers are migrated.
        guard let target = unprotected as? SubscriberDatabaseBackend else { return .ownedByOperator }
        let changed = Mutex<Set<Subscriber>>([])
        // The results are removed even if the call fails, because the change may have been made.
        defer {
            let subscribers = changed.withLock(\.self)
            for subscriber in subscribers { flush(.key(subscriber.key)) }
            // The cache may also hold a rejection of these credentials.
            if !subscribers.isEmpty { flush(.identifier(credentials.identifier)) }
        }
        return try await target.migrate(credentials, from: origins, subscription: subscription) { subscriber in
            changed.withLock { _ = $0.insert(subscriber) }
        }
    }
}
