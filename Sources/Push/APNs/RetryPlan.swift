package import Foundation
import Primitives

/// The number of attempts for a notification, and the waits between them.
package struct RetryPlan: Sendable, Equatable {
    /// The maximum number of attempts, including the first.
    package var attempts = 5
    /// The wait in seconds before the second attempt. Each further wait is twice as long.
    package var first: TimeInterval = 1
    /// The maximum wait in seconds that this plan chooses.
    package var maxDelay: TimeInterval = 60
    /// The maximum wait in seconds that APNs may request.
    package var maxRetryAfter: TimeInterval = 900

    package init() {}

    /// Returns the seconds to wait before the next attempt.
    ///
    /// - Parameters:
    ///   - attempt: The number of attempts made, starting at 1.
    ///   - requestedDelay: The wait in seconds that APNs requested; nil if it requested none.
    ///   - jitter: A number from 0 to 1 that spreads retries of simultaneous failures.
    package func wait(after attempt: Int, requestedDelay: TimeInterval?, jitter: Double) -> TimeInterval {
        let backoff = ExponentialBackoff(minDelay: first, maxDelay: maxDelay)
        let own = backoff.delay(afterFailures: attempt) * (1 + jitter / 2)
        guard let requestedDelay else { return own }
        return min(maxRetryAfter, max(requestedDelay, own))
    }
}
