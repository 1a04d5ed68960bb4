import Foundation

/// How many notifications may be begun in a second, by the well-known bucket: it fills at that rate, and holds what a
/// tenth of a second brings, so that a pause is not made up for by a rush.
struct SendRate: Sendable {
    private let perSecond: Double
    private let most: Double
    private var level: Double
    private var last: TimeInterval = 0

    init(perSecond: Int) {
        self.perSecond = Double(max(1, perSecond))
        most = max(1, self.perSecond / 10)
        level = most
    }

    /// - Parameter now: seconds that only grow.
    /// - Returns: 0 when one may be begun now, which is then counted; else for how many seconds to wait before asking again.
    mutating func take(at now: TimeInterval) -> TimeInterval {
        level = min(most, level + max(0, now - last) * perSecond)
        last = max(last, now)
        // Sums of fractions may end just below one.
        guard level > 1 - 1e-6 else { return (1 - level) / perSecond }
        level = max(0, level - 1)
        return 0
    }
}
