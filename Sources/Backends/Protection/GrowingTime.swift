import Foundation

/// Seconds that only ever grow, counted from readings of a clock that may be set back.
///
/// A clock set back makes nothing younger than it is: the time that passed until then stays counted. One set forward makes
/// everything older, which is the safe side. Read under a lock, so that readings come in order.
struct GrowingTime: Sendable {
    private var last: Date?
    private(set) var seconds: TimeInterval = 0

    mutating func advance(to moment: Date) -> TimeInterval {
        if let last { seconds += max(0, moment.timeIntervalSince(last)) }
        last = moment
        return seconds
    }
}

/// When something happened: how late, and after what. Two things in one instant of the clock still have their order.
struct Moment: Sendable, Equatable {
    let seconds: TimeInterval
    let order: UInt64
}
