import Gatefold
package import Primitives
package import Resilience
import State

/// A change of subscribers by a command. Servers that cache results of the backend learn it within two seconds.
package enum SubscriberChange {
    /// Records in the state that earlier results of a backend are no longer valid. Call it after the change.
    ///
    /// Nothing is recorded for a backend without a cache, or if there is no state yet, which means that no server runs.
    ///
    /// - Throws: The error of the state store. The change itself is in force; servers learn it within `cache.ttl`.
    package static func share(
        _ scope: BackendInvalidation.Scope, of backend: String, in configuration: GatefoldConfiguration,
        random: RandomSource = .system
    ) async throws {
        let entry = try Bootstrap.plan(configuration).entries.first { $0.name == backend }
        guard let protection = entry?.protection, protection.cache != nil else { return }
        let state: any StateStore
        do {
            state = try Bootstrap.existingStateStore(configuration)
        } catch BootstrapError.noState {
            return
        }
        let facts = BackendInvalidation.facts(
            scope, in: backend, protection, pseudonymKey: configuration.state.pseudonymKey, at: state.now)
        try await state.record(facts, origin: random.bytes(16))
    }
}
