public import Foundation
import Synchronization

/// Lets so many letters of a kind go to an account within a time: whoever holds a token must not fill its owner's mailbox.
public final class MailPace: Sendable {
    private struct Entry {
        /// When letters went, by the clock that nobody sets.
        var sent: [TimeInterval]
    }

    /// In seconds.
    private static let window: TimeInterval = 3600
    private let most: Int
    private let pause: TimeInterval
    private let capacity: Int
    private let entries = Mutex<[String: Entry]>([:])

    /// - Parameters:
    ///   - most: within an hour.
    ///   - pause: between two, in seconds.
    ///   - capacity: so many accounts are remembered; while that many are, no other has letters sent.
    public init(most: Int = 5, pause: TimeInterval = 60, capacity: Int = 100_000) {
        self.most = most
        self.pause = pause
        self.capacity = capacity
    }

    /// Counts a letter.
    ///
    /// - Parameter now: by `WallClock.elapsed`.
    /// - Returns: how many seconds to wait, where it may not go now.
    func wait(for account: String, at now: TimeInterval) -> Int? {
        entries.withLock { entries in
            if entries.count >= capacity {
                entries = entries.filter { $0.value.sent.contains { Self.counts($0, at: now) } }
            }
            var sent = entries[account]?.sent.filter { Self.counts($0, at: now) } ?? []
            if let last = sent.last {
                let next = max(
                    last + pause, sent.count >= most ? sent[sent.count - most] + Self.window : last)
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
