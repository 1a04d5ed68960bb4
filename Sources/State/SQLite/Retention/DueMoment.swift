import Foundation
import GRDB

/// A moment until which something waits, in a column beside the one that says when it was set.
///
/// Such a wait must outlive the process, so it is a moment of the wall clock. One that was set at a moment that lies ahead was
/// set by a clock that was ahead, and is over: it would otherwise last as long as the clock was wrong.
enum DueMoment {
    /// The clocks of two processes may be a little apart.
    private static let disorder: TimeInterval = 60

    /// The condition that it has come; takes two arguments.
    static func condition(_ due: String, set: String) -> String { "(\(due) <= ? OR \(set) > ?)" }

    static func arguments(at moment: Date) -> StatementArguments {
        [moment.timeIntervalSince1970, moment.timeIntervalSince1970 + disorder]
    }
}
