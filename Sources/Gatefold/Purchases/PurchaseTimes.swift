public import Foundation

/// When a store is asked again, in seconds.
public struct PurchaseTimes: Sendable, Equatable {
    /// Before the first and before the last attempt to verify a receipt while its store can not be asked; between them the
    /// time doubles. The first also after a look that failed.
    public var shortestRetry: TimeInterval
    public var longestRetry: TimeInterval
    /// For so long a receipt waits for its store; then it is forgotten, and handed in again it is a new one.
    public var longestWait: TimeInterval
    /// Between two looks at a subscription that has ended, when its reader comes: it may have been renewed.
    public var recheckEnded: TimeInterval
    /// Between two looks without a reader: at one that runs, which may have been taken back, at one that has ended, and at a
    /// single purchase.
    public var recheckRunning: TimeInterval
    /// For so long after its end a subscription is looked at.
    public var recheckWindow: TimeInterval
    /// How long after its date a single purchase is verified again: stores refund for this long. 0: never.
    public var refundWindow: TimeInterval
    /// The longest that somebody waits for such a look.
    public var patience: TimeInterval
    /// For so long a question to a store is left to the process that asks it; then another may ask.
    public var lease: TimeInterval = 120

    public init(
        shortestRetry: TimeInterval = 60, longestRetry: TimeInterval = 6 * 3600,
        longestWait: TimeInterval = 30 * 86_400, recheckEnded: TimeInterval = 3600,
        recheckRunning: TimeInterval = 86_400, recheckWindow: TimeInterval = 60 * 86_400,
        refundWindow: TimeInterval = Self.usualRefundWindow, patience: TimeInterval = 5
    ) {
        self.shortestRetry = shortestRetry
        self.longestRetry = longestRetry
        self.longestWait = longestWait
        self.recheckEnded = recheckEnded
        self.recheckRunning = recheckRunning
        self.recheckWindow = recheckWindow
        self.refundWindow = refundWindow
        self.patience = patience
    }

    /// Ninety days: as long as Apple takes requests for a refund.
    public static let usualRefundWindow: TimeInterval = 90 * 86_400

    func retry(after attempts: Int) -> TimeInterval {
        min(longestRetry, shortestRetry * pow(2, Double(min(attempts, 40))))
    }

    /// After a look that failed, at what has been due for so long.
    func rest(overdue: TimeInterval, atMost most: TimeInterval) -> TimeInterval {
        max(shortestRetry, min(overdue, most))
    }
}
