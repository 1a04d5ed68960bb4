package import Foundation

/// A compact format for times: whole seconds or minutes since 2020-01-01T00:00:00Z.
package enum CompactTime {
    private static let epoch = Date(timeIntervalSince1970: 1_577_836_800)

    /// Returns whole seconds, rounded down and clamped to 32 bits (until the year 2156).
    package static func seconds(_ date: Date) -> UInt32 {
        clamped(date.timeIntervalSince(epoch).rounded(.down))
    }

    package static func date(_ seconds: UInt32) -> Date {
        epoch.addingTimeInterval(TimeInterval(seconds))
    }

    /// Returns whole minutes, rounded up and clamped to 24 bits (until the year 2051).
    package static func minutes(_ date: Date) -> UInt32 {
        min(0xFF_FFFF, clamped((date.timeIntervalSince(epoch) / 60).rounded(.up)))
    }

    /// Clamps a number. NaN becomes 0, a time long ago, so that it opens nothing.
    private static func clamped(_ number: Double) -> UInt32 {
        number > 0 ? UInt32(min(number, Double(UInt32.max))) : 0
    }

    package static func date(minutes: UInt32) -> Date {
        epoch.addingTimeInterval(TimeInterval(minutes) * 60)
    }
}
