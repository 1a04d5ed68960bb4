package import Foundation
import Primitives
import Settings

/// The maximum number of concurrent deliveries, and the retry intervals of failed deliveries in seconds.
package struct DeliveryRetryPolicy: Sendable, Equatable {
    package var maxConcurrent = 4
    /// The wait after the first failure. Each further wait is twice as long, up to ``maxRetryDelay``. Default: 30 s.
    /// Range: 1 s to 1 day.
    package var minRetryDelay: TimeInterval = 30
    /// The maximum wait after a failure that is not a rejection. Default: 6 h. Range: 1 s to 7 days.
    package var maxRetryDelay: TimeInterval = 6 * 3600
    /// The wait after a rejection, which usually needs a manual correction that is often made by the next day.
    /// Default: 1 day. Range: 1 min to 30 days.
    package var rejectedRetry: TimeInterval = 86_400

    /// The time for which an attempt holds a delivery exclusively. It exceeds the duration of an attempt. The
    /// delivery of a killed process is retried when the lease ends.
    package var lease: TimeInterval = 35

    package init() {}

    /// Reads `max_concurrent`, `min_retry_delay`, `max_retry_delay` and `rejected_retry_delay`.
    init(_ section: SettingsSection) throws(SettingsError) {
        maxConcurrent = try section.integer("max_concurrent", default: maxConcurrent, in: 1...100)
        minRetryDelay = try section.duration("min_retry_delay", default: minRetryDelay, in: 1...86_400)
        maxRetryDelay = try section.duration("max_retry_delay", default: maxRetryDelay, in: 1...(7 * 86_400))
        guard minRetryDelay <= maxRetryDelay else {
            throw section.error("max_retry_delay", expected: "expected no less than `min_retry_delay`")
        }
        rejectedRetry = try section.duration("rejected_retry_delay", default: rejectedRetry, in: 60...(30 * 86_400))
    }

    /// Returns the time in seconds to the next attempt.
    ///
    /// - Parameter attempts: The number of failed attempts before this one.
    func wait(after failure: any Error, attempts: Int) -> TimeInterval {
        if let failure = failure as? any RequestScopedFailure, failure.isRequestScoped { return rejectedRetry }
        let backoff = ExponentialBackoff(minDelay: minRetryDelay, maxDelay: maxRetryDelay)
        let grown = backoff.delay(afterFailures: attempts + 1)
        guard case DeliveryFailure.retryLater(_, let wait?) = failure else { return grown }
        return min(maxRetryDelay, max(grown, wait))
    }
}
