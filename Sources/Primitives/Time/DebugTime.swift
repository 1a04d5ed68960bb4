package import Foundation

/// The format of times in debug notes.
package enum DebugTime {
    package static func text(_ date: Date) -> String { date.formatted(.iso8601) }
}
