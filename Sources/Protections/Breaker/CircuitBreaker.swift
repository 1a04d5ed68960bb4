import Foundation
package import Gatefold
import Synchronization

/// Leaves a system that fails in peace, and spares readers a wait in vain.
///
/// Breaker, limit and deadline stand in this order around a call:
///
/// ```swift
/// try await breaker.guarding { check in
///     try await limit.enter(.reader, stillWanted: check)
///     return try await deadline.bound({ try await ask() }, ended: limit.leave)
/// }
/// ```
package final class CircuitBreaker: Sendable {
    private struct State {
        /// Nil where it is switched off.
        var breaker: BreakerState?
        var refused = 0
    }

    private enum Admission {
        case unguarded
        case admitted(BreakerState.Pass)
        case refused
    }

    private let clock: WallClock
    private let random: RandomSource
    private let didChange: @Sendable (BreakerState.Change) -> Void
    private let state: Mutex<State>

    /// - Parameters:
    ///   - settings: nil for a breaker that never opens.
    ///   - didChange: told when it opened or closed.
    package init(
        _ settings: BreakerSettings?, clock: WallClock, random: RandomSource,
        didChange: @escaping @Sendable (BreakerState.Change) -> Void
    ) {
        self.clock = clock
        self.random = random
        self.didChange = didChange
        state = Mutex(State(breaker: settings.map { BreakerState($0) }))
    }

    /// Asks, unless the breaker is open, and takes note of how that went.
    ///
    /// - Parameter ask: is given a check to call when it has waited: it throws if the breaker has opened since.
    /// - Throws: ``ProtectionError/breakerOpen``, or what the question throws; ``Failing/isBackends(_:)`` says which of that counts.
    package func guarding<Word>(_ ask: (_ check: () throws -> Void) async throws -> Word) async throws -> Word {
        switch admit() {
        case .unguarded: return try await ask {}
        case .refused: throw ProtectionError.breakerOpen
        case .admitted(let pass):
            do {
                let word = try await ask {
                    guard stillAdmits(pass) else { throw ProtectionError.breakerOpen }
                }
                report(.answered, pass)
                return word
            } catch {
                report(Failing.isBackends(error) ? .failed : .undecided, pass)
                throw error
            }
        }
    }

    package var status: (position: BreakerPosition, refused: Int) {
        state.withLock { state in
            let now = clock.elapsed
            return (state.breaker?.position(at: now) ?? .off, state.refused)
        }
    }

    private func admit() -> Admission {
        state.withLock { state in
            let now = clock.elapsed
            guard state.breaker != nil else { return .unguarded }
            if let pass = state.breaker?.admit(at: now) { return .admitted(pass) }
            state.refused += 1
            return .refused
        }
    }

    private func stillAdmits(_ pass: BreakerState.Pass) -> Bool {
        state.withLock { $0.breaker?.stillAdmits(pass) ?? true }
    }

    private func report(_ outcome: BreakerState.Outcome, _ pass: BreakerState.Pass) {
        let jitter = outcome == .failed ? random.fraction() : 0
        let change = state.withLock { state in
            let now = clock.elapsed
            return state.breaker?.report(outcome, pass, at: now, jitter: jitter)
        }
        if let change { didChange(change) }
    }
}
