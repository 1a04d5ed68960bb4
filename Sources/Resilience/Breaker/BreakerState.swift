package import Foundation

/// The state machine of a circuit breaker. It admits all queries (closed), none for a while (open), or a few probes
/// that test whether the system has recovered (half-open).
package struct BreakerState: Sendable {
    /// The admission of one query, presented when the query reports its outcome. A state change of the circuit
    /// breaker invalidates it.
    package struct Permit: Sendable, Equatable {
        fileprivate let generation: Int
    }

    package enum Outcome: Sendable {
        case responded
        case failed
        /// The outcome reveals nothing about the system: the query was cancelled or never reached the system.
        case undecided
    }

    package enum Change: Sendable, Equatable {
        case opened
        case closed
    }

    private enum Phase {
        case closed(OutcomeWindow)
        case open(until: TimeInterval)
        case halfOpen(probing: Int)
    }

    private let settings: BreakerSettings
    private var phase: Phase
    private var generation = 0

    package init(_ settings: BreakerSettings) {
        self.settings = settings
        phase = .closed(OutcomeWindow(seconds: settings.within))
    }

    /// Admits a query, or returns nil if the query must not be sent.
    package mutating func admit(at now: TimeInterval) -> Permit? {
        switch phase {
        case .closed: break
        case .open(let until):
            guard now >= until else { return nil }
            move(to: .halfOpen(probing: 1))
        case .halfOpen(let probing):
            guard probing < settings.probes else { return nil }
            phase = .halfOpen(probing: probing + 1)
        }
        return Permit(generation: generation)
    }

    /// Returns whether a query that was admitted earlier and has waited since may still be sent.
    package func stillAdmits(_ permit: Permit) -> Bool { permit.generation == generation }

    /// Records the outcome of a query.
    ///
    /// - Parameter jitter: Range: 0 to 1. It lengthens the open time by up to a fifth, so that nodes do not probe
    ///   at the same time.
    package mutating func report(_ outcome: Outcome, _ permit: Permit, at now: TimeInterval, jitter: Double) -> Change?
    {
        // The outcome of a query from before the last state change reveals nothing about the current state.
        guard permit.generation == generation else { return nil }
        let opening = Phase.open(until: now + settings.openDuration * (1 + jitter / 5))
        switch (phase, outcome) {
        case (.open, _), (.closed, .undecided):
            return nil
        case (.closed(var window), .responded), (.closed(var window), .failed):
            window.record(failed: outcome == .failed, at: now)
            phase = .closed(window)
            let (failures, calls) = window.counts(at: now)
            guard outcome == .failed, failures >= settings.failures,
                failures * 100 >= calls * settings.failurePercentage
            else {
                return nil
            }
            move(to: opening)
            return .opened
        case (.halfOpen, .responded):
            move(to: .closed(OutcomeWindow(seconds: settings.within)))
            return .closed
        case (.halfOpen, .failed):
            move(to: opening)
            return .opened
        case (.halfOpen(let probing), .undecided):
            phase = .halfOpen(probing: probing - 1)
            return nil
        }
    }

    package func breakerState(at now: TimeInterval) -> CircuitBreakerState {
        switch phase {
        case .closed: .closed
        case .open(let until): now < until ? .open : .halfOpen
        case .halfOpen: .halfOpen
        }
    }

    private mutating func move(to next: Phase) {
        phase = next
        generation += 1
    }
}
