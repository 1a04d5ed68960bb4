public import Foundation

/// A delay that doubles with each failure, up to a maximum.
public struct ExponentialBackoff: Sendable, Equatable {
    /// The delay in seconds after the first failure.
    public var minDelay: TimeInterval
    /// The maximum delay in seconds.
    public var maxDelay: TimeInterval

    public init(minDelay: TimeInterval, maxDelay: TimeInterval) {
        self.minDelay = minDelay
        self.maxDelay = maxDelay
    }

    /// Returns the delay in seconds after a number of consecutive failures. 0 counts as 1.
    public func delay(afterFailures failures: Int) -> TimeInterval {
        min(maxDelay, minDelay * pow(2, Double(max(0, min(failures - 1, 40)))))
    }
}
