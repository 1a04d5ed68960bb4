import Foundation

/// The format of times in debug comments.
enum DebugTime {
    static func text(_ date: Date) -> String { date.formatted(.iso8601) }
}
