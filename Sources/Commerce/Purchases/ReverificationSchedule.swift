public import Foundation
import Primitives

/// The intervals of store queries, in seconds.
public struct ReverificationSchedule: Sendable, Equatable {
    /// The first and the last delay between attempts to verify a receipt while its store is unavailable. The delay
    /// doubles between them. The first delay also applies after a failed reverification. Default: 60 s and 6 h.
    public var minRetryDelay: TimeInterval
    public var maxRetryDelay: TimeInterval
    /// The maximum time that a receipt waits for its store. Afterwards it is deleted, and the same receipt counts
    /// as new. Default: 30 days.
    public var maxPendingTime: TimeInterval
    /// The interval between two reverifications of an ended subscription while its reader visits, because it may
    /// have been renewed. Default: 1 h.
    public var reverifyEnded: TimeInterval
    /// The interval between two reverifications without a visit: of a running subscription, which may have been
    /// revoked, of an ended subscription, and of a single purchase. Default: 1 day.
    public var reverifyRunning: TimeInterval
    /// The time after its end during which a subscription is reverified. Default: 60 days.
    public var reverificationWindow: TimeInterval
    /// The time after its date during which a single purchase is verified again, because stores refund for this
    /// long. Default: 90 days. 0: never.
    public var refundWindow: TimeInterval
    /// The maximum time that a reader waits for a reverification. Default: 5 s.
    public var reverifyTimeout: TimeInterval
    /// The time for which a store query is reserved to one process. Afterwards another process may send it.
    /// Default: 120 s.
    public var lease: TimeInterval = 120

    public init(
        minRetryDelay: TimeInterval = 60, maxRetryDelay: TimeInterval = 6 * 3600,
        maxPendingTime: TimeInterval = 30 * 86_400, reverifyEnded: TimeInterval = 3600,
        reverifyRunning: TimeInterval = 86_400, reverificationWindow: TimeInterval = 60 * 86_400,
        refundWindow: TimeInterval = Self.defaultRefundWindow, reverifyTimeout: TimeInterval = 5
    ) {
        self.minRetryDelay = minRetryDelay
        self.maxRetryDelay = maxRetryDelay
        self.maxPendingTime = maxPendingTime
        self.reverifyEnded = reverifyEnded
        self.reverifyRunning = reverifyRunning
        self.reverificationWindow = reverificationWindow
        self.refundWindow = refundWindow
        self.reverifyTimeout = reverifyTimeout
    }

    /// The default refund window of 90 days, because Apple accepts refund requests for this long.
    public static let defaultRefundWindow: TimeInterval = 90 * 86_400

    func retry(after attempts: Int) -> TimeInterval {
        ExponentialBackoff(minDelay: minRetryDelay, maxDelay: maxRetryDelay).delay(afterFailures: attempts + 1)
    }

    /// Returns the delay after a failed reverification of a purchase that is overdue.
    func rest(overdue: TimeInterval, atMost limit: TimeInterval) -> TimeInterval {
        max(minRetryDelay, min(overdue, limit))
    }
}
