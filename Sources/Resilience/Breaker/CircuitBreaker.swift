import Foundation
package import Primitives
import Synchronization

/// A circuit breaker. It pauses queries to a failing system and spares readers a useless wait.
///
/// A circuit breaker, a limit and a deadline wrap a call in this order:
///
/// ```swift
/// try await breaker.guarding { check in
///     try await limit.enter(.reader, stillWanted: check)
///     return try await deadline.bound({ try await query() }, ended: limit.leave)
/// }
/// ```
package final class CircuitBreaker: Sendable {
    private struct State {
        /// The state machine, or nil if the circuit breaker is disabled.
        var breaker: BreakerState?
        var rejected = 0
    }

    private enum Admission {
        case unguarded
        case admitted(BreakerState.Permit)
        case rejected
    }

    private let clock: WallClock
    private let random: RandomSource
    private let didChange: @Sendable (BreakerState.Change) -> Void
    private let state: Mutex<State>

    /// Creates a circuit breaker.
    ///
    /// - Parameters:
    ///   - settings: The settings, or nil for a circuit breaker that never opens.
    ///   - didChange: Called when the circuit breaker opens or closes.
    package init(
        _ settings: BreakerSettings?, clock: WallClock, random: RandomSource,
        didChange: @escaping @Sendable (BreakerState.Change) -> Void
    ) {
        self.clock = clock
        self.random = random
        self.didChange = didChange
        state = Mutex(State(breaker: settings.map { BreakerState($0) }))
    }

    /// Runs a query unless the circuit breaker is open, and records its outcome.
    ///
    /// - Parameter operation: Receives a check to call after it has waited. The check throws if the circuit breaker has
    ///   opened meanwhile.
    /// - Throws: ``ProtectionError/breakerOpen``, or the error of the query. ``FailureClassification/isBackendFailure(_:)`` determines
    ///   which errors count as failures.
    package func guarding<Value>(_ operation: (_ check: () throws -> Void) async throws -> Value) async throws -> Value
    {
        switch admit() {
        case .unguarded: return try await operation {}
        case .rejected: throw ProtectionError.breakerOpen
        case .admitted(let permit):
            do {
                let value = try await operation {
                    guard stillAdmits(permit) else { throw ProtectionError.breakerOpen }
                }
                report(.responded, permit)
                return value
            } catch {
                report(FailureClassification.isBackendFailure(error) ? .failed : .undecided, permit)
                throw error
            }
        }
    }

    package var status: (breakerState: CircuitBreakerState, rejected: Int) {
        state.withLock { state in
            let now = clock.elapsed
            return (state.breaker?.breakerState(at: now) ?? .off, state.rejected)
        }
    }

    private func admit() -> Admission {
        state.withLock { state in
            let now = clock.elapsed
            guard state.breaker != nil else { return .unguarded }
            if let permit = state.breaker?.admit(at: now) { return .admitted(permit) }
            state.rejected += 1
            return .rejected
        }
    }

    private func stillAdmits(_ permit: BreakerState.Permit) -> Bool {
        state.withLock { $0.breaker?.stillAdmits(permit) ?? true }
    }

    private func report(_ outcome: BreakerState.Outcome, _ permit: BreakerState.Permit) {
        let jitter = outcome == .failed ? random.fraction() : 0
        let change = state.withLock { state in
            let now = clock.elapsed
            return state.breaker?.report(outcome, permit, at: now, jitter: jitter)
        }
        if let change { didChange(change) }
    }
}
