public import Foundation
import Synchronization

/// Lets so many letters of a kind go to an account within a time: whoever holds a token must not fill its owner's mailbox.
public final class MailPace: Sendable {
    private struct Entry {
        var sent: [Date]
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
    /// - Returns: how many seconds to wait, where it may not go now.
    func wait(for account: String, at moment: Date) -> Int? {
        entries.withLock { entries in
            if entries.count >= capacity {
                entries = entries.filter { $0.value.sent.contains { Self.counts($0, at: moment) } }
            }
            var sent = entries[account]?.sent.filter { Self.counts($0, at: moment) } ?? []
            if let last = sent.last {
                let next = max(
                    last.addingTimeInterval(pause),
                    sent.count >= most ? sent[sent.count - most].addingTimeInterval(Self.window) : last)
                if moment < next { return max(1, Int(next.timeIntervalSince(moment).rounded(.up))) }
            } else if entries.count >= capacity {
                return Int(Self.window)
            }
            sent.append(moment)
            entries[account] = Entry(sent: sent)
            return nil
        }
    }

    private static func counts(_ sent: Date, at moment: Date) -> Bool {
        (0..<window).contains(moment.timeIntervalSince(sent))
    }
}
