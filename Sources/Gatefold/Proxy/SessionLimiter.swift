import Foundation
import Synchronization

/// Limits how many sessions a subscriber opens within an hour: each may leave something in the state.
///
/// One serves all publications of a process. It counts in memory; an hour after a restart it counts as before.
public final class SessionLimiter: Sendable {
    private let buckets: Mutex<GuessBuckets<SubscriberReference>>

    /// More than any reader with all their devices needs.
    public static let standardPerHour = 600

    /// - Parameters:
    ///   - perHour: as many may come at once, and as many an hour in the long run.
    ///   - capacity: of so many subscribers the sessions are counted.
    public init(perHour: Int = standardPerHour, capacity: Int = 200_000) {
        buckets = Mutex(GuessBuckets(limit: perHour, window: 3600, capacity: capacity))
    }

    /// Counts a session.
    ///
    /// - Parameter moment: by a clock that nobody sets.
    /// - Returns: how many whole seconds to wait, where it may not be opened now; it is then not counted.
    func wait(_ subscriber: SubscriberReference, at moment: TimeInterval) -> Int? {
        buckets.withLock { buckets in
            if case .full(let wait) = buckets.room(subscriber, at: moment) { return max(1, Int(wait.rounded(.up))) }
            buckets.charge(subscriber, at: moment)
            return nil
        }
    }
}
