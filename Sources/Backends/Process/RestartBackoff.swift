import Foundation
import Primitives

/// A backoff for restarts of a process that fails before its first response.
///
/// A process that responded before it failed is replaced immediately. For a process that did not, the delay doubles
/// with each failure.
struct RestartBackoff: Sendable {
    private let delays: ExponentialBackoff
    private var failures = 0
    private var failedAt: TimeInterval?

    init(minDelay: TimeInterval, maxDelay: TimeInterval) {
        delays = ExponentialBackoff(minDelay: minDelay, maxDelay: max(minDelay, maxDelay))
    }

    /// Returns whether a process may be started now.
    ///
    /// - Parameter timestamp: seconds on a monotonic clock.
    func mayStart(at timestamp: TimeInterval) -> Bool {
        guard let failedAt else { return true }
        return timestamp - failedAt >= delays.delay(afterFailures: failures)
    }

    /// Records that a started process responded.
    mutating func succeed() {
        failures = 0
        failedAt = nil
    }

    /// Records that a process was terminated or ended before any response, or did not start.
    mutating func fail(at timestamp: TimeInterval) {
        failures += 1
        failedAt = timestamp
    }
}
