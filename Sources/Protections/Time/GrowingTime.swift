package import Foundation

/// Seconds that only ever grow, counted from readings of a clock that may be set back.
///
/// A clock set back makes nothing younger than it is: the time that passed until then stays counted. One set forward makes
/// everything older, which is the safe side. Read under a lock, so that readings come in order.
package struct GrowingTime: Sendable {
    private var last: Date?
    package private(set) var seconds: TimeInterval = 0

    package init() {}

    package mutating func advance(to moment: Date) -> TimeInterval {
        if let last { seconds += max(0, moment.timeIntervalSince(last)) }
        last = moment
        return seconds
    }
}
