public import Foundation

/// Makes guessing slow.
public protocol GuessLimiting: Sendable {
    /// Lets an attempt go ahead, or says how long to wait. An admitted attempt counts as a wrong one until it is settled,
    /// so that a thousand at once are no way around the limit. One for which others under way leave no room waits here until
    /// they are settled.
    ///
    /// - Parameters:
    ///   - now: the present by ``WallClock/elapsed``: no step of the machine's clock frees or holds anybody back.
    ///   - isAcquainted: whether this bearer has signed in as this reader before; asked only when it decides.
    func admit(
        _ attempt: GuessAttempt, at now: TimeInterval, isAcquainted: @Sendable () async -> Bool
    ) async -> GuessVerdict

    /// Tells how an admitted attempt ended.
    ///
    /// - Parameters:
    ///   - subscribers: whom the backend found, where it says so: also of a wrong proof.
    ///   - now: the present by ``WallClock/elapsed``.
    /// - Returns: whether a right sign-in holds. Where it does not, only a device known as the reader's may still sign in: any
    ///   other is refused like a wrong one.
    @discardableResult
    func settle(
        _ ticket: GuessTicket, as outcome: GuessOutcome, of subscribers: [SubscriberReference], at now: TimeInterval
    ) -> Bool
}

extension GuessLimiting {
    /// Tells how an attempt ended of which no subscriber is known.
    public func settle(_ ticket: GuessTicket, as outcome: GuessOutcome, at now: TimeInterval) {
        settle(ticket, as: outcome, of: [], at: now)
    }
}

public enum GuessVerdict: Sendable, Equatable {
    /// The ticket is to be settled, whatever becomes of the attempt.
    case proceed(GuessTicket)
    /// - Parameter retryAfter: whole seconds, at least one.
    case throttled(retryAfter: Int)
    /// Too many others are under way. This one was no guess, and is not refused as one.
    ///
    /// - Parameter retryAfter: whole seconds, at least one.
    case busy(retryAfter: Int)
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
        _ attempt: GuessAttempt, at now: TimeInterval, isAcquainted: @Sendable () async -> Bool
    ) async -> GuessVerdict { .proceed(GuessTicket(attempt)) }

    public func settle(
        _ ticket: GuessTicket, as outcome: GuessOutcome, of subscribers: [SubscriberReference],
        at now: TimeInterval
    ) -> Bool { true }
}
