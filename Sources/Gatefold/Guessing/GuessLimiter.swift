public import Foundation
import Synchronization

/// A ``GuessLedger`` that any number of tasks share; the counts live in memory. One serves a whole process, so that an
/// address is held across publications.
public final class GuessLimiter: GuessLimiting {
    private let ledger: Mutex<GuessLedger>

    public init(limits: GuessLimits = GuessLimits()) {
        ledger = Mutex(GuessLedger(limits: limits))
    }

    public func admit(
        _ attempt: GuessAttempt, at moment: Date, isAcquainted: @Sendable () async -> Bool
    ) async -> GuessVerdict {
        var decision = ledger.withLock { $0.admit(attempt, from: .unasked, at: moment) }
        if decision == .dependsOnBearer {
            let bearer: GuessLedger.Bearer = await isAcquainted() ? .acquainted : .stranger
            decision = ledger.withLock { $0.admit(attempt, from: bearer, at: moment) }
        }
        return switch decision {
        case .proceed(let ticket): .proceed(ticket)
        case .throttled(let wait): .throttled(retryAfter: wait)
        // Not answered to a bearer that was asked about.
        case .dependsOnBearer: .throttled(retryAfter: 1)
        }
    }

    public func settle(_ ticket: GuessTicket, as outcome: GuessOutcome, at moment: Date) {
        ledger.withLock { $0.settle(ticket, as: outcome, at: moment) }
    }
}
