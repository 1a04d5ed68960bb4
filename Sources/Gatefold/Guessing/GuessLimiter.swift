public import Foundation
import Synchronization

/// A ``GuessLedger`` that any number of tasks share; the counts live in memory. One serves a whole process, so that an
/// address is held across publications.
public final class GuessLimiter: GuessLimiting {
    private struct State {
        var ledger: GuessLedger
        var waiting: [UInt64: Waiting] = [:]

        /// Writes down what became of one that waits. Returns the continuation to resume with it, where there is one already.
        mutating func decide(_ waiter: UInt64, _ verdict: GuessVerdict) -> Resumption? {
            if case .suspended(let continuation)? = waiting.removeValue(forKey: waiter) {
                return (continuation, verdict)
            }
            waiting[waiter] = .decided(verdict)
            return nil
        }
    }

    private typealias Resumption = (continuation: CheckedContinuation<GuessVerdict, Never>, verdict: GuessVerdict)

    /// One that waits, and whichever comes first of its continuation and its verdict.
    private enum Waiting {
        case queued
        case suspended(CheckedContinuation<GuessVerdict, Never>)
        case decided(GuessVerdict)
    }

    private let state: Mutex<State>
    private let queueTimeout: TimeInterval
    private let sleep: @Sendable (Duration) async throws -> Void

    /// After a full queue or a wait that took too long: the wait before another attempt, in whole seconds.
    private static let busy = GuessVerdict.busy(retryAfter: 5)

    public init(
        limits: GuessLimits = GuessLimits(),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        state = Mutex(State(ledger: GuessLedger(limits: limits)))
        queueTimeout = limits.queueTimeout
        self.sleep = sleep
    }

    /// How many attempts wait until others are decided.
    public var queued: Int { state.withLock { $0.ledger.queued } }

    public func admit(
        _ attempt: GuessAttempt, at now: TimeInterval, isAcquainted: @Sendable () async -> Bool
    ) async -> GuessVerdict {
        var decision = decide(attempt, from: .unasked, at: now)
        if decision == .dependsOnBearer {
            let bearer: GuessLedger.Bearer = await isAcquainted() ? .acquainted : .stranger
            decision = decide(attempt, from: bearer, at: now)
        }
        if case .queued(let waiter) = decision { return await wait(waiter) }
        return Self.verdict(decision)
    }

    @discardableResult
    public func settle(
        _ ticket: GuessTicket, as outcome: GuessOutcome, of subscribers: [SubscriberReference], at now: TimeInterval
    ) -> Bool {
        let (holds, resumed) = state.withLock { state in
            let settlement = state.ledger.settle(ticket, as: outcome, of: subscribers, at: now)
            let resumed = settlement.released.compactMap { release in
                state.decide(release.waiter, Self.verdict(release.decision))
            }
            return (settlement.holds, resumed)
        }
        for resumption in resumed { resumption.continuation.resume(returning: resumption.verdict) }
        return holds
    }

    private func decide(
        _ attempt: GuessAttempt, from bearer: GuessLedger.Bearer, at now: TimeInterval
    ) -> GuessLedger.Decision {
        state.withLock { state in
            let decision = state.ledger.admit(attempt, from: bearer, at: now)
            if case .queued(let waiter) = decision { state.waiting[waiter] = .queued }
            return decision
        }
    }

    private func wait(_ waiter: UInt64) async -> GuessVerdict {
        let timer = Task { [sleep, queueTimeout] in
            try? await sleep(.seconds(queueTimeout))
            self.withdraw(waiter)
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let verdict = state.withLock { state -> GuessVerdict? in
                    if case .decided(let verdict)? = state.waiting[waiter] {
                        state.waiting[waiter] = nil
                        return verdict
                    }
                    state.waiting[waiter] = .suspended(continuation)
                    return nil
                }
                if let verdict { continuation.resume(returning: verdict) }
            }
        } onCancel: {
            withdraw(waiter)
        }
    }

    /// It waited too long, or nobody waits for it any more.
    private func withdraw(_ waiter: UInt64) {
        let resumed = state.withLock { state in
            state.ledger.withdraw(waiter)
                ? state.decide(waiter, Self.busy) : nil
        }
        resumed?.continuation.resume(returning: Self.busy)
    }

    private static func verdict(_ decision: GuessLedger.Decision) -> GuessVerdict {
        switch decision {
        case .proceed(let ticket): .proceed(ticket)
        case .throttled(let wait): .throttled(retryAfter: wait)
        // The last two are not answered to a bearer that was asked about, nor to one that waited.
        case .queueFull, .dependsOnBearer, .queued: busy
        }
    }
}
