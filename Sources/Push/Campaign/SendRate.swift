import Foundation

/// A token bucket that limits the notifications begun per second. The bucket fills at that rate and holds a tenth
/// of a second's worth, so that no burst follows a pause.
struct SendRate: Sendable {
    private let perSecond: Double
    private let capacity: Double
    private var level: Double
    private var last: TimeInterval = 0

    init(perSecond: Int) {
        self.perSecond = Double(max(1, perSecond))
        capacity = max(1, self.perSecond / 10)
        level = capacity
    }

    /// Takes a token from the bucket.
    ///
    /// - Parameter now: A monotonic time in seconds.
    /// - Returns: 0 if a notification may be begun now, which is then counted; otherwise the seconds to wait before
    ///   the next call.
    mutating func take(at now: TimeInterval) -> TimeInterval {
        level = min(capacity, level + max(0, now - last) * perSecond)
        last = max(last, now)
        // Sums of fractions may end just below 1.
        guard level > 1 - 1e-6 else { return (1 - level) / perSecond }
        level = max(0, level - 1)
        return 0
    }
}
