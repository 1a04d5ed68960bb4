public import Foundation
public import Primitives

/// The dependencies of a result other than its request and the current whole second.
///
/// While they hold, the same request in the same second has the same result, except for new credentials
/// (``Reusability``). A resolution of one second is enough, because tokens and salts expire at whole seconds. A
/// finer time in a catalogue or a setting takes effect with the next second.
public struct CacheValidity: Sendable {
    /// The end of a time span, measured by a monotonic clock.
    public struct Deadline: Sendable {
        private let clock: WallClock
        private let end: TimeInterval

        /// Creates a deadline.
        ///
        /// - Parameters:
        ///   - clock: The source of the current time.
        ///   - end: The end, on the scale of `WallClock.elapsed` of that clock.
        public init(_ clock: WallClock, at end: TimeInterval) {
            self.clock = clock
            self.end = end
        }

        var isAhead: Bool { clock.elapsed < end }
    }

    private var baselines: [ChangeCounter.Baseline]
    /// The expiry. The result is valid until this time, exclusive.
    private var until: Date
    private var deadlines: [Deadline]

    /// Creates the dependencies of a result.
    ///
    /// - Parameters:
    ///   - baselines: The marks, taken before the data was read.
    ///   - until: The time until which the data is valid. Default: without end.
    ///   - deadline: The deadline, for data that is valid for a limited time.
    public init(_ baselines: [ChangeCounter.Baseline] = [], until: Date = .distantFuture, deadline: Deadline? = nil) {
        self.baselines = baselines
        self.until = until
        deadlines = deadline.map { [$0] } ?? []
    }

    /// Returns the dependencies of a result that depends on both.
    public func joined(with other: CacheValidity) -> CacheValidity {
        var joined = CacheValidity(baselines + other.baselines, until: min(until, other.until))
        joined.deadlines = deadlines + other.deadlines
        return joined
    }

    public func holds(at timestamp: Date) -> Bool {
        timestamp < until && baselines.allSatisfy(\.isCurrent) && deadlines.allSatisfy(\.isAhead)
    }
}
