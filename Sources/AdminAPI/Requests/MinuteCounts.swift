import Foundation
import Synchronization

/// The events of each key in the current minute, and their limit.
final class MinuteCounts<Key: Hashable & Sendable>: Sendable {
    private let limit: Int
    private let minutes = Mutex<[Key: (end: TimeInterval, count: Int)]>([:])

    /// The maximum number of keys. When there are more, all are forgotten.
    private static var capacity: Int { 10_000 }

    init(limit: Int) { self.limit = limit }

    /// Counts an event, unless the limit is reached.
    ///
    /// - Parameter now: The time in seconds on a monotonic clock.
    /// - Returns: False if the limit was reached before.
    func add(_ key: Key, at now: TimeInterval) -> Bool {
        minutes.withLock { minutes in
            if minutes.count >= Self.capacity, minutes[key] == nil { minutes = [:] }
            guard let minute = minutes[key], now < minute.end else {
                minutes[key] = (now + 60, 1)
                return true
            }
            guard minute.count < limit else { return false }
            minutes[key] = (minute.end, minute.count + 1)
            return true
        }
    }

    func isAtLimit(_ key: Key, at now: TimeInterval) -> Bool {
        minutes.withLock { minutes in
            minutes[key].map { now < $0.end && $0.count >= limit } ?? false
        }
    }
}
