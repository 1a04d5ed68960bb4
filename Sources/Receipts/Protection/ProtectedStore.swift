import Gatefold
package import Protections

/// Stands around every question to a store, so that its bad days are not the readers': one that fails is left in peace, is
/// asked so many things at once and no more, and is waited for so long and no longer.
///
/// ```swift
/// let protected = ProtectedStore(settings.protection, services: services)
/// let answer = try await protected.ask { try await http.send(question) }
/// ```
///
/// Throw from the closure what says that the store could not be asked, and return what is a verdict: what is thrown counts
/// against the store, unless it is an `AnswerFailure` about one answer alone.
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

    /// - Throws: ``ProtectionError``, `CancellationError`, or what the question throws.
    package func ask<Answer: Sendable>(
        _ question: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        try await breaker.guarding { check in
            try await limit.enter(.reader, stillWanted: check)
            return try await deadline.bound(question, ended: limit.leave)
        }
    }
}
