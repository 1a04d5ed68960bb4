public import Foundation

/// Makes guessing slow.
public protocol GuessLimiting: Sendable {
    /// Lets an attempt go ahead, or says how long to wait. An admitted attempt counts as a wrong one until it is settled,
    /// so that a thousand at once are no way around the limit.
    ///
    /// - Parameter isAcquainted: whether this bearer has signed in as this reader before; asked only when it decides.
    func admit(
        _ attempt: GuessAttempt, at moment: Date, isAcquainted: @Sendable () async -> Bool
    ) async -> GuessVerdict

    /// Tells how an admitted attempt ended.
    func settle(_ ticket: GuessTicket, as outcome: GuessOutcome, at moment: Date)
}

public enum GuessVerdict: Sendable, Equatable {
    /// The ticket is to be settled, whatever becomes of the attempt.
    case proceed(GuessTicket)
    /// - Parameter retryAfter: whole seconds, at least one.
    case throttled(retryAfter: Int)
}

public enum GuessOutcome: Sendable, Equatable {
    case right
    case wrong
    /// Nobody could say: nothing is counted.
    case undecided
}

/// No protection at all, for tests and for the test backend.
public struct UnlimitedGuesses: GuessLimiting {
    public init() {}

    public func admit(
        _ attempt: GuessAttempt, at moment: Date, isAcquainted: @Sendable () async -> Bool
    ) async -> GuessVerdict { .proceed(GuessTicket(attempt)) }

    public func settle(_ ticket: GuessTicket, as outcome: GuessOutcome, at moment: Date) {}
}
