package import Foundation
import Synchronization

/// A limiter for the number of sessions that a subscriber opens within an hour, because each session may add an
/// entry to the state store.
///
/// One limiter serves all publications of a process, and all processes of a state count together. While the state is
/// unavailable, the process counts for itself, in memory.
public final class SessionLimiter: Sendable {
    private let buckets: Mutex<LoginAttemptBuckets<SubscriberPseudonym>>
    private let shared: SharedRateLimit?

    /// The default limit: more sessions per hour than a reader with all their devices needs.
    public static let defaultPerHour = 600
    /// The window of the limit, in seconds.
    private static let window: TimeInterval = 3600

    /// - Parameters:
    ///   - perHour: The maximum number of sessions in a burst, and per hour in the long run. Default: 600.
    ///   - capacity: The maximum number of subscribers whose sessions this process counts. Default: 200,000.
    ///   - store: The store of the counters of all processes.
    ///   - pseudonymKey: The key of the names of the counters.
    public convenience init(
        perHour: Int = defaultPerHour, capacity: Int = 200_000, store: any SharedCounterStore,
        pseudonymKey: PseudonymKey
    ) {
        self.init(
            perHour: perHour, capacity: capacity,
            shared: SharedRateLimit(
                "sessions", limit: perHour, window: Self.window, store: store, pseudonymKey: pseudonymKey))
    }

    /// Creates a limiter that counts in memory only.
    public convenience init(perHour: Int = defaultPerHour, capacity: Int = 200_000) {
        self.init(perHour: perHour, capacity: capacity, shared: nil)
    }

    private init(perHour: Int, capacity: Int, shared: SharedRateLimit?) {
        buckets = Mutex(LoginAttemptBuckets(limit: perHour, window: Self.window, capacity: capacity))
        self.shared = shared
    }

    /// Counts a session. A subscriber whose limit this process knows to be reached needs no query.
    ///
    /// - Parameter timestamp: The time on a monotonic clock.
    /// - Returns: The number of whole seconds to wait if the limit is reached; the session is then not counted.
    ///   Otherwise nil.
    package func wait(_ subscriber: SubscriberPseudonym, at timestamp: TimeInterval) async -> Int? {
        if let wait = buckets.withLock({ Self.wait(subscriber, $0, at: timestamp) }) { return wait }
        guard let shared, let level = await shared.charge([subscriber.description]) else {
            return buckets.withLock { buckets in
                // Other sign-ins of this process may have been counted since.
                if let wait = Self.wait(subscriber, buckets, at: timestamp) { return wait }
                buckets.charge(subscriber, at: timestamp)
                return nil
            }
        }
        buckets.withLock { buckets in
            if level.hadRoom { buckets.charge(subscriber, at: timestamp) }
            buckets.raise(subscriber, to: level.debt, at: timestamp)
        }
        return level.hadRoom ? nil : shared.wait(at: level)
    }

    private static func wait(
        _ subscriber: SubscriberPseudonym, _ buckets: LoginAttemptBuckets<SubscriberPseudonym>,
        at timestamp: TimeInterval
    ) -> Int? {
        guard case .full(let wait) = buckets.room(subscriber, at: timestamp) else { return nil }
        return max(1, Int(wait.rounded(.up)))
    }
}
