import Foundation

/// Seconds that only ever grow, counted from readings of a clock that may be set back.
struct ElapsedTime: Sendable {
    /// Readings come from many tasks and are a little out of order; only more than this is a clock set back.
    static let disorder: TimeInterval = 60
    private var last: Date?
    private var elapsed: TimeInterval = 0

    mutating func advance(to moment: Date) -> TimeInterval {
        guard let last else {
            self.last = moment
            return elapsed
        }
        let step = moment.timeIntervalSince(last)
        if step > 0 { elapsed += step }
        if step > 0 || step < -Self.disorder { self.last = moment }
        return elapsed
    }
}
