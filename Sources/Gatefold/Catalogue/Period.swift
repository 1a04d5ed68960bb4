public import Foundation

/// A period of a subscription, from its start to its end, both included. Without an end, the period is unlimited.
public struct Period: Hashable, Sendable {
    public let start: Date
    public let end: Date?

    public init(start: Date, end: Date?) {
        self.start = start
        self.end = end
    }

    public func contains(_ timestamp: Date) -> Bool {
        start <= timestamp && (end.map { timestamp <= $0 } ?? true)
    }
}
