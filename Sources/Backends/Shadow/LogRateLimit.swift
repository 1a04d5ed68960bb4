import Foundation

/// A limit on log lines per minute, so that a system that differs in everything does not fill the log. Suppressed
/// lines are still counted as events.
struct LogRateLimit: Sendable {
    private let perMinute: Int
    private var minute = Int.min
    private var taken = 0

    init(perMinute: Int) {
        self.perMinute = perMinute
    }

    /// Returns whether a line may be written now, and counts it if so.
    ///
    /// - Parameter now: The time in seconds on a monotonic clock.
    mutating func take(at now: TimeInterval) -> Bool {
        let present = Int(now / 60)
        if present != minute {
            minute = present
            taken = 0
        }
        guard taken < perMinute else { return false }
        taken += 1
        return true
    }
}
