import Foundation

/// Moments as whole seconds or minutes since 2020-01-01T00:00:00Z, to fit into few bytes.
enum CompactTime {
    private static let epoch = Date(timeIntervalSince1970: 1_577_836_800)

    /// Rounded down, and held to what 32 bits can say (until the year 2156).
    static func seconds(_ date: Date) -> UInt32 {
        clamped(date.timeIntervalSince(epoch).rounded(.down))
    }

    static func date(_ seconds: UInt32) -> Date {
        epoch.addingTimeInterval(TimeInterval(seconds))
    }

    /// Whole minutes rounded up, held to what 24 bits can say (until the year 2051).
    static func minutes(_ date: Date) -> UInt32 {
        min(0xFF_FFFF, clamped((date.timeIntervalSince(epoch) / 60).rounded(.up)))
    }

    /// What is no number counts as long ago, so that it opens nothing.
    private static func clamped(_ number: Double) -> UInt32 {
        number > 0 ? UInt32(min(number, Double(UInt32.max))) : 0
    }

    static func date(minutes: UInt32) -> Date {
        epoch.addingTimeInterval(TimeInterval(minutes) * 60)
    }
}
