public import Foundation

/// A throttle for login attempts.
public protocol LoginThrottling: Sendable {
    /// Admits an attempt, or returns how long to wait. An admitted attempt counts as wrong until it is settled, so
    /// that many parallel attempts cannot bypass the limit. An attempt waits here if running attempts leave no
    /// room, until they are settled.
    ///
    /// - Parameters:
    ///   - attempt: The attempt.
    ///   - now: The time of `WallClock.elapsed`, because a step of the system clock must not release or block an
    ///     attempt.
    ///   - isKnownDevice: A closure that returns whether this device has signed in as this reader before. It is called
    ///     only if the result matters.
    func admit(
        _ attempt: LoginAttempt, at now: TimeInterval, isKnownDevice: @Sendable () async -> Bool
    ) async -> LoginThrottleVerdict

    /// Records the outcome of an admitted attempt.
    ///
    /// - Parameters:
    ///   - permit: The permit that the admission of the attempt returned.
    ///   - outcome: The outcome.
    ///   - subscribers: The subscribers that the backend found, if it reports them. It may report them for a wrong
    ///     proof, too.
    ///   - now: The time of `WallClock.elapsed`.
    /// - Returns: Whether the caller may reveal the outcome.
    @discardableResult
    func settle(
        _ permit: LoginAttemptPermit, as outcome: LoginAttemptOutcome, of subscribers: [SubscriberPseudonym],
        at now: TimeInterval
    ) async -> LoginAttemptSettlement

    /// Returns whether wrong attempts have used up the limit of a reader, without counting anything. Default:
    /// ``LoginLock/unknown``.
    ///
    /// A known device or address of the reader is still admitted.
    ///
    /// - Parameters:
    ///   - attempt: An attempt of the reader, or nil if the identifier is not known.
    ///   - subscriber: The reader, or nil if no subscriber is known.
    ///   - now: The time of `WallClock.elapsed`.
    /// - Throws: The error of a shared store.
    func lock(
        of attempt: LoginAttempt?, _ subscriber: SubscriberPseudonym?, at now: TimeInterval
    ) async throws -> LoginLock

    /// Returns the wrong attempts against a reader that still count, with the parameters of ``lock(of:_:at:)``. Default:
    /// nil, because another process counts the attempts.
    ///
    /// - Throws: The error of a shared store.
    func failures(
        of attempt: LoginAttempt?, _ subscriber: SubscriberPseudonym?, at now: TimeInterval
    ) async throws -> Int?

    /// Forgets the wrong attempts against a reader, with the parameters of ``lock(of:_:at:)``. Those of addresses and devices
    /// still count. Another node forgets none of those that it has counted itself. Default: nothing.
    ///
    /// - Throws: The error of a shared store.
    func release(
        _ attempt: LoginAttempt?, _ subscriber: SubscriberPseudonym?, at now: TimeInterval
    ) async throws
}

/// Whether wrong attempts have used up the limit of a reader.
public enum LoginLock: Sendable, Equatable {
    /// Another process counts the attempts.
    case unknown
    case open
    /// - Parameter retryAfter: The wait in whole seconds, at least 1.
    case locked(retryAfter: Int)
}

extension LoginThrottling {
    public func lock(
        of attempt: LoginAttempt?, _ subscriber: SubscriberPseudonym?, at now: TimeInterval
    ) async throws -> LoginLock { .unknown }

    public func failures(
        of attempt: LoginAttempt?, _ subscriber: SubscriberPseudonym?, at now: TimeInterval
    ) async throws -> Int? { nil }

    public func release(
        _ attempt: LoginAttempt?, _ subscriber: SubscriberPseudonym?, at now: TimeInterval
    ) async throws {}

    /// Records the outcome of an attempt without a known subscriber.
    @discardableResult
    public func settle(
        _ permit: LoginAttemptPermit, as outcome: LoginAttemptOutcome, at now: TimeInterval
    ) async -> LoginAttemptSettlement {
        await settle(permit, as: outcome, of: [], at: now)
    }
}

public enum LoginThrottleVerdict: Sendable, Equatable {
    /// The attempt may proceed. The caller must settle the ticket, regardless of the outcome.
    case proceed(LoginAttemptPermit)
    /// - Parameter retryAfter: The wait in whole seconds, at least 1.
    case throttled(retryAfter: Int)
    /// Too many other attempts are running. This attempt is not counted as wrong and not rejected as such.
    ///
    /// - Parameter retryAfter: The wait in whole seconds, at least 1.
    case busy(retryAfter: Int)
}

public enum LoginAttemptOutcome: Sendable, Equatable {
    case right
    case wrong
    /// The outcome is unknown. Nothing is counted.
    case undecided
}

/// What the caller does with the outcome of an attempt.
public enum LoginAttemptSettlement: Sendable, Equatable {
    /// The caller acts on the outcome.
    case final
    /// A right sign-in is accepted from a known device of the reader only. Any other attempt is rejected like a wrong
    /// one.
    case untrusted
    /// Wrong attempts at other nodes have used up the limit in the meantime. Only a right sign-in from a known device of
    /// the reader is accepted. The outcome of any other attempt is not revealed.
    ///
    /// - Parameter retryAfter: The wait in whole seconds, at least 1.
    case throttled(retryAfter: Int)
}

/// A throttle without limits, for tests and for the test backend.
public struct UnlimitedLoginAttempts: LoginThrottling {
    public init() {}

    public func admit(
        _ attempt: LoginAttempt, at now: TimeInterval, isKnownDevice: @Sendable () async -> Bool
    ) async -> LoginThrottleVerdict { .proceed(LoginAttemptPermit(attempt)) }

    public func settle(
        _ permit: LoginAttemptPermit, as outcome: LoginAttemptOutcome, of subscribers: [SubscriberPseudonym],
        at now: TimeInterval
    ) -> LoginAttemptSettlement { .final }

    public func lock(
        of attempt: LoginAttempt?, _ subscriber: SubscriberPseudonym?, at now: TimeInterval
    ) -> LoginLock { .open }

    public func failures(
        of attempt: LoginAttempt?, _ subscriber: SubscriberPseudonym?, at now: TimeInterval
    ) -> Int? { 0 }
}
