import Foundation

/// A leaky bucket for each key: so many at once, and as many per window in the long run.
///
/// A bucket holds the wrong guesses, as one number, the moment at which it will be empty. Attempts under way are counted
/// beside it, each as the wrong guess that it may turn out to be.
struct GuessBuckets<Key: Hashable & Sendable>: Sendable {
    /// Whether one more attempt may go ahead.
    enum Room: Sendable, Equatable {
        case free
        /// There is room for a guess, but attempts under way may need it.
        case reserved
        /// Wrong guesses have used it up.
        ///
        /// - Parameter wait: seconds until there is room for one more.
        case full(wait: TimeInterval)
    }

    private let window: TimeInterval
    private let cost: TimeInterval
    private var emptyAt: FadingTable<Key>
    private var underWay: [Key: Int] = [:]

    init(limit: Int, window: TimeInterval, capacity: Int) {
        self.window = window
        cost = window / TimeInterval(max(1, limit))
        emptyAt = FadingTable(capacity: capacity)
    }

    /// How many keys are remembered for their wrong guesses.
    var count: Int { emptyAt.count }

    func room(_ key: Key, at now: TimeInterval) -> Room {
        let debt = emptyAt.moment(of: key, at: now).map { $0 - now } ?? 0
        let excess = debt + cost - window
        // A sum of fractions may miss the whole by a little.
        let little = 0.000_1
        if excess > little { return .full(wait: excess) }
        return excess + TimeInterval(underWay[key] ?? 0) * cost > little ? .reserved : .free
    }

    /// Counts an attempt that goes ahead.
    mutating func reserve(_ key: Key) {
        underWay[key, default: 0] += 1
    }

    /// Gives back what ``reserve(_:)`` took.
    mutating func release(_ key: Key) {
        guard let count = underWay[key] else { return }
        underWay[key] = count > 1 ? count - 1 : nil
    }

    /// Counts a wrong guess. A bucket that is full takes no more, so that the wait never exceeds the window.
    mutating func charge(_ key: Key, at now: TimeInterval) {
        let until = min((emptyAt.moment(of: key, at: now) ?? now) + cost, now + window)
        emptyAt.set(key, until: until, at: now)
    }

    /// Forgets the wrong guesses.
    mutating func empty(_ key: Key) {
        emptyAt.remove(key)
    }
}
