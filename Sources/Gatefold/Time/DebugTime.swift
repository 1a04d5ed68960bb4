import Foundation

/// Moments as debug comments write them.
enum DebugTime {
    static func text(_ date: Date) -> String { date.formatted(.iso8601) }
}
