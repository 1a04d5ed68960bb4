import Foundation
import Synchronization

/// A limit on the failed authentications of an address per minute. A token cannot be guessed. The limit bounds the work and
/// the log lines that a client without one causes.
final class AuthenticationFailures: Sendable {
    static let maxPerMinute = 30
    /// The maximum number of addresses. When there are more, all are forgotten.
    private static let capacity = 10_000

    private let minutes = Mutex<[String: (end: TimeInterval, count: Int)]>([:])

    /// - Parameter now: The time in seconds on a monotonic clock.
    func isBlocked(_ address: String, at now: TimeInterval) -> Bool {
        minutes.withLock { minutes in
            guard let minute = minutes[address], now < minute.end else { return false }
            return minute.count >= Self.maxPerMinute
        }
    }

    func add(_ address: String, at now: TimeInterval) {
        minutes.withLock { minutes in
            if minutes.count >= Self.capacity, minutes[address] == nil { minutes = [:] }
            if let minute = minutes[address], now < minute.end {
                minutes[address] = (minute.end, minute.count + 1)
            } else {
                minutes[address] = (now + 60, 1)
            }
        }
    }
}
