import Foundation

/// Seconds since 1970 in four bytes, until 2106: a million revocations are held in memory.
struct WholeSecond: Hashable, Comparable, Sendable {
    let value: UInt32

    /// The first whole second that is not before a moment.
    init(roundingUp date: Date) {
        let seconds = date.timeIntervalSince1970.rounded(.up)
        value = seconds < 0 ? 0 : UInt32(exactly: min(seconds, Double(UInt32.max))) ?? UInt32.max
    }

    private init(_ value: UInt32) {
        self.value = value
    }

    /// Before any moment that matters: where nothing is known.
    static let none = WholeSecond(0)

    var date: Date { Date(timeIntervalSince1970: TimeInterval(value)) }

    static func < (one: Self, other: Self) -> Bool { one.value < other.value }
}
