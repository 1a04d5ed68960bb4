import Foundation
import Synchronization

/// The times of the e-mail messages of this process within an hour, by account.
final class MailTimes: Sendable {
    private let limit: Int
    private let pause: TimeInterval
    private let window: TimeInterval
    private let capacity: Int
    /// The times of the messages by the monotonic clock, in order.
    private let sent = Mutex<[String: [TimeInterval]]>([:])

    /// - Parameters:
    ///   - limit: The maximum number of messages per account within the window.
    ///   - pause: The minimum time between two messages, in seconds.
    ///   - window: The length of the window, in seconds.
    ///   - capacity: The maximum number of accounts.
    init(limit: Int, pause: TimeInterval, window: TimeInterval, capacity: Int) {
        self.limit = limit
        self.pause = pause
        self.window = window
        self.capacity = capacity
    }

    /// Returns the number of seconds until a message may be sent, or `nil` if it may be sent now.
    func wait(for account: String, at now: TimeInterval) -> Int? {
        sent.withLock { wait(for: account, $0, at: now) }
    }

    /// Records a message that may be sent.
    func add(_ account: String, at now: TimeInterval) {
        sent.withLock { add(account, to: &$0, at: now) }
    }

    /// Records a message if it may be sent now.
    ///
    /// - Returns: The number of seconds to wait if it may not.
    func count(_ account: String, at now: TimeInterval) -> Int? {
        sent.withLock { sent in
            if let wait = wait(for: account, sent, at: now) { return wait }
            add(account, to: &sent, at: now)
            return nil
        }
    }

    private func wait(for account: String, _ sent: [String: [TimeInterval]], at now: TimeInterval) -> Int? {
        let times = recent(sent[account], at: now)
        guard let last = times.last else {
            // Entries that count no more are removed when there is a message to record.
            let isFull = sent.count >= capacity && sent.count { !recent($0.value, at: now).isEmpty } >= capacity
            return isFull ? Int(window) : nil
        }
        let next = max(last + pause, times.count >= limit ? times[times.count - limit] + window : last)
        return now < next ? max(1, Int((next - now).rounded(.up))) : nil
    }

    private func add(_ account: String, to sent: inout [String: [TimeInterval]], at now: TimeInterval) {
        if sent.count >= capacity { sent = sent.filter { !recent($0.value, at: now).isEmpty } }
        sent[account] = recent(sent[account], at: now) + [now]
    }

    private func recent(_ times: [TimeInterval]?, at now: TimeInterval) -> [TimeInterval] {
        times?.filter { now - $0 < window } ?? []
    }
}
