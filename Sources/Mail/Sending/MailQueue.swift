import Foundation
import Gatefold

/// The state machine of the waiting messages: it takes values, returns decisions, and performs no I/O.
struct MailQueue: Sendable {
    struct Entry: Sendable {
        let message: MailMessage
        /// The number of failed attempts.
        var attempts = 0
        /// The due time in seconds of the queue's clock.
        var due: TimeInterval
    }

    enum Step: Sendable {
        case send(Entry)
        /// Nothing is due before the given time; nil if nothing is waiting.
        case wait(until: TimeInterval?)
        case end
    }

    enum Outcome: Sendable, Equatable {
        case sent
        /// The server rejected the message permanently.
        case rejected
        case failed
    }

    enum Verdict: Sendable, Equatable {
        case done
        case retry
        case abandoned
    }

    /// The waits in seconds after the first, second and third attempt.
    static let reconnectBackoff: [TimeInterval] = [10, 60, 300]

    private let capacity: Int
    private var entries: [Entry] = []
    private var inFlight = 0
    private var isClosed = false

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The number of messages that are waiting or being sent.
    var count: Int { entries.count + inFlight }

    mutating func add(_ message: MailMessage, at time: TimeInterval) throws(MailRejected) {
        if isClosed { throw .stopped }
        if count >= capacity { throw .full }
        entries.append(Entry(message: message, due: time))
    }

    /// Returns the next step of an idle worker. The result of a send is reported to ``finish(_:_:at:)``.
    mutating func next(at time: TimeInterval) -> Step {
        // The message that has been due longest comes first.
        guard let index = entries.indices.min(by: { entries[$0].due < entries[$1].due }) else {
            return isClosed ? .end : .wait(until: nil)
        }
        guard isClosed || entries[index].due <= time else { return .wait(until: entries[index].due) }
        inFlight += 1
        return .send(entries.remove(at: index))
    }

    mutating func finish(_ entry: Entry, _ outcome: Outcome, at time: TimeInterval) -> Verdict {
        inFlight -= 1
        switch outcome {
        case .sent: return .done
        case .rejected: return .abandoned
        case .failed:
            guard !isClosed, Self.reconnectBackoff.indices.contains(entry.attempts) else { return .abandoned }
            var entry = entry
            entry.due = time + Self.reconnectBackoff[entry.attempts]
            entry.attempts += 1
            entries.append(entry)
            return .retry
        }
    }

    /// Stops accepting messages. Waiting messages are tried once more, immediately.
    mutating func close() { isClosed = true }

    /// Drops the waiting messages.
    ///
    /// - Returns: The number of dropped messages.
    mutating func abandon() -> Int {
        isClosed = true
        defer { entries = [] }
        return entries.count
    }
}
