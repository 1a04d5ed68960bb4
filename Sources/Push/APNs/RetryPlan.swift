package import Foundation

/// How often and when a notification is tried again.
package struct RetryPlan: Sendable, Equatable {
    /// How often it is sent at all.
    package var attempts = 5
    /// Before the second attempt, in seconds; each further wait is twice as long.
    package var first: TimeInterval = 1
    /// The longest wait that is ours to choose, in seconds.
    package var longest: TimeInterval = 60
    /// The longest wait that APNs may ask for, in seconds.
    package var longestAsked: TimeInterval = 900

    package init() {}

    /// - Parameters:
    ///   - attempt: how many were made, from 1.
    ///   - asked: for how long APNs asks to be left in peace.
    ///   - jitter: from 0 to 1; spreads what failed together.
    package func wait(after attempt: Int, asked: TimeInterval?, jitter: Double) -> TimeInterval {
        let own = min(longest, first * pow(2, Double(max(0, min(attempt, 30) - 1)))) * (1 + jitter / 2)
        guard let asked else { return own }
        return min(longestAsked, max(asked, own))
    }
}
