import Foundation

/// A timestamp with a sequence number, which orders two events at the same clock reading.
struct LogicalTimestamp: Sendable, Equatable {
    let seconds: TimeInterval
    let order: UInt64
}
