package import Foundation

/// Whether a system is asked at all: always (closed), not for a while (open), or by a few that try whether it is back
/// (half-open).
package struct BreakerState: Sendable {
    /// What one question has to show when it reports its outcome; worthless once the breaker has moved on.
    package struct Pass: Sendable, Equatable {
        fileprivate let generation: Int
    }

    package enum Outcome: Sendable {
        case answered
        case failed
        /// It says nothing about the system: the question was withdrawn, or never reached it.
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

    /// Nil when the question must not be asked.
    package mutating func admit(at now: TimeInterval) -> Pass? {
        switch phase {
        case .closed: break
        case .open(let until):
            guard now >= until else { return nil }
            move(to: .halfOpen(probing: 1))
        case .halfOpen(let probing):
            guard probing < settings.probes else { return nil }
            phase = .halfOpen(probing: probing + 1)
        }
        return Pass(generation: generation)
    }

    /// Whether a question that was admitted a while ago, and waited since, may still be asked.
    package func stillAdmits(_ pass: Pass) -> Bool { pass.generation == generation }

    /// - Parameter jitter: from 0 to 1; lengthens the time it stays open by up to a fifth, so that nodes do not try at once.
    package mutating func report(_ outcome: Outcome, _ pass: Pass, at now: TimeInterval, jitter: Double) -> Change? {
        // What was asked before it opened says nothing about now.
        guard pass.generation == generation else { return nil }
        let opening = Phase.open(until: now + settings.openFor * (1 + jitter / 5))
        switch (phase, outcome) {
        case (.open, _), (.closed, .undecided):
            return nil
        case (.closed(var window), .answered), (.closed(var window), .failed):
            window.note(failed: outcome == .failed, at: now)
            phase = .closed(window)
            let (failures, questions) = window.counts(at: now)
            guard outcome == .failed, failures >= settings.failures, failures * 100 >= questions * settings.share else {
                return nil
            }
            move(to: opening)
            return .opened
        case (.halfOpen, .answered):
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

    package func position(at now: TimeInterval) -> BreakerPosition {
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
