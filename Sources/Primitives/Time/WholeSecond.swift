package import Foundation

/// A number of whole seconds since 1970 in four bytes, valid until 2106. The small size matters because the memory
/// holds a million revocations.
package struct WholeSecond: Hashable, Comparable, Sendable {
    package let value: UInt32

    /// Creates the first whole second that is not before the given time.
    package init(roundingUp date: Date) {
        let seconds = date.timeIntervalSince1970.rounded(.up)
        value = seconds < 0 ? 0 : UInt32(exactly: min(seconds, Double(UInt32.max))) ?? UInt32.max
    }

    private init(_ value: UInt32) {
        self.value = value
    }

    /// An unknown time. It is before any relevant time.
    package static let none = WholeSecond(0)

    package var date: Date { Date(timeIntervalSince1970: TimeInterval(value)) }

    package static func < (one: Self, other: Self) -> Bool { one.value < other.value }
}
