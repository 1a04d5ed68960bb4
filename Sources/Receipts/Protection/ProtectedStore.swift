package import Primitives
import Resilience

/// The protection of all queries to a store, so that a failing store does not affect readers. It pauses queries to
/// a store that fails, limits the number of concurrent queries, and limits the duration of each query.
///
/// ```swift
/// let protected = ProtectedStore(settings.protection, services: services)
/// let answer = try await protected.ask { try await http.send(question) }
/// ```
///
/// The closure must throw an error if the store is unavailable, and return every verdict. A thrown error counts as
/// a failure of the store, unless it is an `RequestScopedFailure` about one response only.
package final class ProtectedStore: Sendable {
    private let breaker: CircuitBreaker
    private let limit: ConcurrencyLimit
    private let deadline: Deadline

    package convenience init(_ settings: StoreProtection, services: StoreServices) {
        self.init(settings, services: services) { try await Task.sleep(for: .seconds($0)) }
    }

    package init(_ settings: StoreProtection, services: StoreServices, sleep: @escaping Sleep) {
        breaker = CircuitBreaker(settings.breaker, clock: services.clock, random: services.random) { _ in }
        limit = ConcurrencyLimit(settings.concurrency, sleep: sleep)
        deadline = Deadline(seconds: settings.deadline, sleep: sleep)
    }

    /// Runs a query under the protection.
    ///
    /// - Throws: ``ProtectionError``, `CancellationError`, or the error of the query.
    package func perform<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await breaker.guarding { check in
            try await limit.enter(.reader, checkStillNeeded: check)
            return try await deadline.bound(operation, ended: limit.leave)
        }
    }
}
