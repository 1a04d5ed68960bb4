import Gatefold
import Resilience

/// Migration into a registry that is protected because nodes share it. A migrated reader's cached results are removed in
/// all nodes, so that none of them knows a former password.
extension ProtectedBackend: LazyMigrationTarget {
    func migrate(
        _ credentials: Credentials, from origins: [LazyMigrationOrigin], subscription: Subscription
    ) async throws -> LazyMigrationOutcome {
        // A drill replaces the registry by a backend to which no readers are migrated.
        guard let target = unprotected as? any LazyMigrationTarget else { return .ownedByOperator }
        let outcome = try await target.migrate(credentials, from: origins, subscription: subscription)
        if outcome == .written { flush(.identifier(credentials.identifier)) }
        return outcome
    }
}
