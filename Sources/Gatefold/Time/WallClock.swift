public import Foundation

/// The civil time, and the time that passes: passed in wherever a rule depends on them, so that tests decide both.
///
/// Somebody may set the civil time, by a year in either direction. So durations within the process are differences of
/// ``elapsed``, and ``now`` is for what must outlive the process or has a date of its own.
public struct WallClock: Sendable {
    private let reading: @Sendable () -> Date
    private let passing: @Sendable () -> TimeInterval

    /// - Parameter elapsed: reads a clock that never goes back and that nobody sets.
    public init(
        _ reading: @escaping @Sendable () -> Date,
        elapsed passing: @escaping @Sendable () -> TimeInterval = { WallClock.sinceFirstUse }
    ) {
        self.reading = reading
        self.passing = passing
    }

    /// The present moment.
    public var now: Date { reading() }

    /// Seconds since some moment that stays the same while the process lives; the machine's sleep counts.
    public var elapsed: TimeInterval { passing() }

    /// The machine's own clock.
    public static let system = WallClock { Date() }

    private static let firstUse = ContinuousClock.now
    /// By the machine's clock that nobody sets.
    public static var sinceFirstUse: TimeInterval { (ContinuousClock.now - firstUse) / Duration.seconds(1) }
}
