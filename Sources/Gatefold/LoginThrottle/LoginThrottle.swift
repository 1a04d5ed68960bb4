public import Foundation
import Synchronization

/// A ``LoginAttemptLedger`` that any number of tasks share. The counts are in memory. One limiter serves a whole process,
/// so that an address has one count for all publications.
public final class LoginThrottle: LoginThrottling {
    private struct State {
        var ledger: LoginAttemptLedger
        var waiting: [UInt64: Waiting] = [:]

        /// Records the verdict of a waiting attempt. Returns the continuation to resume with the verdict, if it
        /// exists already.
        mutating func decide(_ waitingAttempt: UInt64, _ verdict: LoginThrottleVerdict) -> Resumption? {
            if case .suspended(let continuation)? = waiting.removeValue(forKey: waitingAttempt) {
                return (continuation, verdict)
            }
            waiting[waitingAttempt] = .settled(verdict)
            return nil
        }
    }

    private typealias Resumption = (
        continuation: CheckedContinuation<LoginThrottleVerdict, Never>, verdict: LoginThrottleVerdict
    )

    /// A waiting attempt, with its continuation or its verdict if one of them exists.
    private enum Waiting {
        case queued
        case suspended(CheckedContinuation<LoginThrottleVerdict, Never>)
        case settled(LoginThrottleVerdict)
    }

    private let state: Mutex<State>
    private let queueTimeout: TimeInterval
    private let sleep: @Sendable (Duration) async throws -> Void

    /// The verdict for a full queue or a wait that timed out. The next attempt should wait 5 s.
    private static let busy = LoginThrottleVerdict.busy(retryAfter: 5)

    public init(
        limits: LoginThrottleLimits = LoginThrottleLimits(),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        state = Mutex(State(ledger: LoginAttemptLedger(limits: limits)))
        queueTimeout = limits.queueTimeout
        self.sleep = sleep
    }

    /// The number of attempts that wait for running attempts.
    public var queued: Int { state.withLock { $0.ledger.queued } }

    public func admit(
        _ attempt: LoginAttempt, at now: TimeInterval, isKnownDevice: @Sendable () async -> Bool
    ) async -> LoginThrottleVerdict {
        var decision = decide(attempt, from: .unresolved, at: now)
        if decision == .dependsOnDeviceTrust {
            let deviceTrust: LoginAttemptLedger.DeviceTrust = await isKnownDevice() ? .knownDevice : .unknownDevice
            decision = decide(attempt, from: deviceTrust, at: now)
        }
        if case .queued(let waitingAttempt) = decision { return await wait(waitingAttempt) }
        return Self.verdict(decision)
    }

    @discardableResult
    public func settle(
        _ permit: LoginAttemptPermit, as outcome: LoginAttemptOutcome, of subscribers: [SubscriberPseudonym],
        at now: TimeInterval
    ) -> LoginAttemptSettlement {
        let (holds, resumed) = state.withLock { state in
            let settlement = state.ledger.settle(permit, as: outcome, of: subscribers, at: now)
            let resumed = settlement.released.compactMap { release in
                state.decide(release.waitingAttempt, Self.verdict(release.decision))
            }
            return (settlement.holds, resumed)
        }
        for resumption in resumed { resumption.continuation.resume(returning: resumption.verdict) }
        return holds ? .final : .untrusted
    }

    public func lock(
        of attempt: LoginAttempt?, _ subscriber: SubscriberPseudonym?, at now: TimeInterval
    ) -> LoginLock {
        withLedger { LoginLock(wait: $0.wait(for: LoginAttemptCounter.all(of: attempt, subscriber), at: now)) }
    }

    public func failures(
        of attempt: LoginAttempt?, _ subscriber: SubscriberPseudonym?, at now: TimeInterval
    ) -> Int? {
        withLedger { $0.failures(for: LoginAttemptCounter.all(of: attempt, subscriber), at: now) }
    }

    public func release(
        _ attempt: LoginAttempt?, _ subscriber: SubscriberPseudonym?, at now: TimeInterval
    ) {
        forget(LoginAttemptCounter.all(of: attempt, subscriber), at: now)
    }

    /// Forgets the wrong attempts of counters.
    func forget(_ counters: [LoginAttemptCounter], at now: TimeInterval) {
        let resumed = state.withLock { state in
            state.ledger.forget(counters, at: now).compactMap { release in
                state.decide(release.waitingAttempt, Self.verdict(release.decision))
            }
        }
        for resumption in resumed { resumption.continuation.resume(returning: resumption.verdict) }
    }

    /// Passes the ledger to the throttle of several nodes.
    func withLedger<Value: Sendable>(_ body: (inout LoginAttemptLedger) -> Value) -> Value {
        state.withLock { body(&$0.ledger) }
    }

    private func decide(
        _ attempt: LoginAttempt, from deviceTrust: LoginAttemptLedger.DeviceTrust, at now: TimeInterval
    ) -> LoginAttemptLedger.Decision {
        state.withLock { state in
            let decision = state.ledger.admit(attempt, from: deviceTrust, at: now)
            if case .queued(let waitingAttempt) = decision { state.waiting[waitingAttempt] = .queued }
            return decision
        }
    }

    private func wait(_ waitingAttempt: UInt64) async -> LoginThrottleVerdict {
        let timer = Task { [sleep, queueTimeout] in
            try? await sleep(.seconds(queueTimeout))
            self.withdraw(waitingAttempt)
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let verdict = state.withLock { state -> LoginThrottleVerdict? in
                    if case .settled(let verdict)? = state.waiting[waitingAttempt] {
                        state.waiting[waitingAttempt] = nil
                        return verdict
                    }
                    state.waiting[waitingAttempt] = .suspended(continuation)
                    return nil
                }
                if let verdict { continuation.resume(returning: verdict) }
            }
        } onCancel: {
            withdraw(waitingAttempt)
        }
    }

    /// Removes an attempt whose wait timed out or whose task was cancelled.
    private func withdraw(_ waitingAttempt: UInt64) {
        let resumed = state.withLock { state in
            state.ledger.withdraw(waitingAttempt)
                ? state.decide(waitingAttempt, Self.busy) : nil
        }
        resumed?.continuation.resume(returning: Self.busy)
    }

    private static func verdict(_ decision: LoginAttemptLedger.Decision) -> LoginThrottleVerdict {
        switch decision {
        case .proceed(let permit): .proceed(permit)
        case .throttled(let wait): .throttled(retryAfter: wait)
        // The ledger does not return the last two for an attempt whose device status is known, nor for a released
        // attempt.
        case .queueFull, .dependsOnDeviceTrust, .queued: busy
        }
    }
}

extension LoginLock {
    /// - Parameter wait: The number of seconds until there is room for an attempt; nil if there is.
    init(wait: TimeInterval?) {
        self = wait.map { .locked(retryAfter: max(1, Int($0.rounded(.up)))) } ?? .open
    }
}
