import Foundation
import Primitives

/// A leaky bucket for each key, which limits the burst and the long-term rate per window.
///
/// A bucket stores its wrong attempts as one number, the time at which it will be empty. Running attempts are
/// counted separately, each as a possible wrong attempt.
struct LoginAttemptBuckets<Key: Hashable & Sendable>: Sendable {
    /// The room for one more attempt.
    enum BucketCapacity: Sendable, Equatable {
        case free
        /// There is room for a wrong attempt, but running attempts may need it.
        case reserved
        /// Wrong attempts have used up the limit.
        ///
        /// - Parameter wait: The number of seconds until there is room for one more attempt.
        case full(wait: TimeInterval)
    }

    private let window: TimeInterval
    private let cost: TimeInterval
    private var emptyAt: ExpiringDictionary<Key>
    private var inFlight: [Key: Int] = [:]

    init(limit: Int, window: TimeInterval, capacity: Int) {
        self.window = window
        cost = window / TimeInterval(max(1, limit))
        emptyAt = ExpiringDictionary(capacity: capacity)
    }

    /// The number of keys with wrong attempts.
    var count: Int { emptyAt.count }

    func room(_ key: Key, at now: TimeInterval) -> BucketCapacity {
        let debt = emptyAt.timestamp(of: key, at: now).map { $0 - now } ?? 0
        let excess = debt + cost - window
        // The tolerance for the rounding error of a sum of fractions.
        let little = 0.000_1
        if excess > little { return .full(wait: excess) }
        return excess + TimeInterval(inFlight[key] ?? 0) * cost > little ? .reserved : .free
    }

    /// Returns the number of wrong attempts that still count.
    func failures(_ key: Key, at now: TimeInterval) -> Int {
        let debt = emptyAt.timestamp(of: key, at: now).map { $0 - now } ?? 0
        return Int((debt / cost - 0.000_1).rounded(.up))
    }

    /// Counts a running attempt.
    mutating func reserve(_ key: Key) {
        inFlight[key, default: 0] += 1
    }

    /// Releases a reservation of ``reserve(_:)``.
    mutating func release(_ key: Key) {
        guard let count = inFlight[key] else { return }
        inFlight[key] = count > 1 ? count - 1 : nil
    }

    /// Counts a wrong attempt. A full bucket accepts no more, so that the wait never exceeds the window.
    mutating func charge(_ key: Key, at now: TimeInterval) {
        let until = min((emptyAt.timestamp(of: key, at: now) ?? now) + cost, now + window)
        emptyAt.set(key, until: until, at: now)
    }

    /// Sets the wrong attempts to those of all nodes, if these are more.
    ///
    /// - Parameter debt: The number of seconds until the bucket is empty.
    mutating func raise(_ key: Key, to debt: TimeInterval, at now: TimeInterval) {
        let until = now + min(debt, window)
        guard until > (emptyAt.timestamp(of: key, at: now) ?? now) else { return }
        emptyAt.set(key, until: until, at: now)
    }

    /// Removes the wrong attempts.
    mutating func empty(_ key: Key) {
        emptyAt.remove(key)
    }
}
