public import Foundation

/// A time a subscription ran: from its start to its end, both included; without an end it runs on.
public struct Period: Hashable, Sendable {
    public let start: Date
    public let end: Date?

    public init(start: Date, end: Date?) {
        self.start = start
        self.end = end
    }

    public func contains(_ moment: Date) -> Bool {
        start <= moment && (end.map { moment <= $0 } ?? true)
    }
}
