package import Foundation
import Synchronization

/// A limit on the log lines of one kind per minute, so that a repeated event does not fill the log. A minute begins
/// with its first line.
package final class LogRateLimiter: Sendable {
    private let perMinute: Int
    private let minute = Mutex<(end: TimeInterval, lines: Int)>((-.infinity, 0))

    package init(perMinute: Int = 1) {
        self.perMinute = perMinute
    }

    /// Returns whether a line may be written now, and counts it if so.
    ///
    /// - Parameter now: The time in seconds on a monotonic clock.
    package func admits(at now: TimeInterval = WallClock.sinceFirstUse) -> Bool {
        minute.withLock { minute in
            if now >= minute.end { minute = (now + 60, 0) }
            guard minute.lines < perMinute else { return false }
            minute.lines += 1
            return true
        }
    }
}
