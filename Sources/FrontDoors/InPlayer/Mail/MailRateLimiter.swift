public import Foundation
import Synchronization

/// A limit on the number of e-mail messages of a kind to an account within an hour, so that a client with a token
/// cannot fill its owner's mailbox.
public final class MailRateLimiter: Sendable {
    private struct Entry {
        /// The times of messages, by the monotonic clock.
        var sent: [TimeInterval]
    }

    /// The length of the window, in seconds.
    private static let window: TimeInterval = 3600
    private let limit: Int
    private let pause: TimeInterval
    private let capacity: Int
    private let entries = Mutex<[String: Entry]>([:])

    /// - Parameters:
    ///   - limit: The maximum number of messages per account within an hour. Default: 5.
    ///   - pause: The minimum time between two messages, in seconds. Default: 60 s.
    ///   - capacity: The maximum number of accounts in the cache. While it is full, no other account gets messages.
    ///     Default: 100,000.
    public init(limit: Int = 5, pause: TimeInterval = 60, capacity: Int = 100_000) {
        self.limit = limit
        self.pause = pause
        self.capacity = capacity
    }

    /// Counts a message.
    ///
    /// - Parameter now: The time by `WallClock.elapsed`.
    /// - Returns: The number of seconds to wait, or `nil` if the message may be sent now.
    func wait(for account: String, at now: TimeInterval) -> Int? {
        entries.withLock { entries in
            if entries.count >= capacity {
                entries = entries.filter { $0.value.sent.contains { Self.counts($0, at: now) } }
            }
            var sent = entries[account]?.sent.filter { Self.counts($0, at: now) } ?? []
            if let last = sent.last {
                let next = max(
                    last + pause, sent.count >= limit ? sent[sent.count - limit] + Self.window : last)
                if now < next { return max(1, Int((next - now).rounded(.up))) }
            } else if entries.count >= capacity {
                return Int(Self.window)
            }
            sent.append(now)
            entries[account] = Entry(sent: sent)
            return nil
        }
    }

    private static func counts(_ sent: TimeInterval, at now: TimeInterval) -> Bool { now - sent < window }
}
