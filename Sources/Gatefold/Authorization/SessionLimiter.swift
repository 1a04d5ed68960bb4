import Foundation
import Synchronization

/// A limiter for the number of sessions that a subscriber opens within an hour, because each session may add an
/// entry to the state store.
///
/// One limiter serves all publications of a process. It counts in memory, so it needs one hour after a restart to
/// be accurate.
public final class SessionLimiter: Sendable {
    private let buckets: Mutex<LoginAttemptBuckets<SubscriberPseudonym>>

    /// The default limit: more sessions per hour than a reader with all their devices needs.
    public static let defaultPerHour = 600

    /// - Parameters:
    ///   - perHour: The maximum number of sessions in a burst, and per hour in the long run. Default: 600.
    ///   - capacity: The maximum number of subscribers whose sessions are counted. Default: 200,000.
    public init(perHour: Int = defaultPerHour, capacity: Int = 200_000) {
        buckets = Mutex(LoginAttemptBuckets(limit: perHour, window: 3600, capacity: capacity))
    }

    /// Counts a session.
    ///
    /// - Parameter timestamp: The time on a monotonic clock.
    /// - Returns: The number of whole seconds to wait if the limit is reached; the session is then not counted.
    ///   Otherwise nil.
    func wait(_ subscriber: SubscriberPseudonym, at timestamp: TimeInterval) -> Int? {
        buckets.withLock { buckets in
            if case .full(let wait) = buckets.room(subscriber, at: timestamp) { return max(1, Int(wait.rounded(.up))) }
            buckets.charge(subscriber, at: timestamp)
            return nil
        }
    }
}
