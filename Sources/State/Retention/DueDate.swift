import Foundation

/// A due time in one column, next to the column of the time at which it was set.
///
/// The wait must outlive the process, so the due time is a wall-clock time. A due time that was set in the future
/// comes from a clock that was ahead. It counts as reached, because the wait would otherwise last as long as the
/// clock error.
enum DueDate {
    /// The tolerated difference in seconds between the clocks of two processes.
    private static let clockTolerance: TimeInterval = 60

    /// Returns the condition that the due time is reached. The condition takes two arguments.
    static func condition(_ due: String, set: String) -> String { "(\(due) <= ? OR \(set) > ?)" }

    static func arguments(at timestamp: Date) -> StateArguments {
        [timestamp.timeIntervalSince1970, timestamp.timeIntervalSince1970 + clockTolerance]
    }
}
