public import Foundation

/// The civil time and a monotonic clock. Rules that depend on time receive both by injection, so that tests control
/// them.
///
/// An operator may set the civil time, by a year in either direction. Durations within the process are therefore
/// differences of ``elapsed``. Use ``now`` only for times that must outlive the process or that are dates
/// themselves.
public struct WallClock: Sendable {
    private let reading: @Sendable () -> Date
    private let passing: @Sendable () -> TimeInterval

    /// Creates a clock.
    ///
    /// - Parameters:
    ///   - reading: Returns the current time.
    ///   - passing: Returns the time of a monotonic clock that cannot be set.
    public init(
        _ reading: @escaping @Sendable () -> Date,
        elapsed passing: @escaping @Sendable () -> TimeInterval = { WallClock.sinceFirstUse }
    ) {
        self.reading = reading
        self.passing = passing
    }

    /// The current time.
    public var now: Date { reading() }

    /// The seconds since a fixed time in the life of the process. The machine's sleep counts.
    public var elapsed: TimeInterval { passing() }

    /// The machine's own clock.
    public static let system = WallClock { Date() }

    private static let firstUse = ContinuousClock.now
    /// The seconds on the machine's monotonic clock since its first use.
    public static var sinceFirstUse: TimeInterval { (ContinuousClock.now - firstUse) / Duration.seconds(1) }
}
