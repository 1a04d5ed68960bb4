import Foundation

/// A leaky bucket for each key: so many at once, and as many per window in the long run.
///
/// A bucket is one number, the moment at which it will be empty.
struct GuessBuckets<Key: Hashable & Sendable>: Sendable {
    private let window: TimeInterval
    private let cost: TimeInterval
    private var emptyAt: FadingTable<Key>

    init(limit: Int, window: TimeInterval, capacity: Int) {
        self.window = window
        cost = window / TimeInterval(max(1, limit))
        emptyAt = FadingTable(capacity: capacity)
    }

    var count: Int { emptyAt.count }

    /// Seconds until there is room for one more; 0 when there is.
    func wait(_ key: Key, at now: TimeInterval) -> TimeInterval {
        let debt = emptyAt.moment(of: key, at: now).map { $0 - now } ?? 0
        let excess = debt + cost - window
        // A sum of fractions may miss the whole by a little.
        return excess > 0.000_1 ? excess : 0
    }

    mutating func charge(_ key: Key, at now: TimeInterval) {
        emptyAt.set(key, until: (emptyAt.moment(of: key, at: now) ?? now) + cost, at: now)
    }

    mutating func refund(_ key: Key, at now: TimeInterval) {
        guard let moment = emptyAt.moment(of: key, at: now) else { return }
        emptyAt.set(key, until: moment - cost, at: now)
    }

    mutating func empty(_ key: Key) {
        emptyAt.remove(key)
    }
}
