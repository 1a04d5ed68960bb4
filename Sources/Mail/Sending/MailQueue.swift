import Foundation
import Gatefold

/// The letters that wait, and what is to be done with them: values in, decisions out, no I/O.
struct MailQueue: Sendable {
    struct Entry: Sendable {
        let message: MailMessage
        /// So often it was tried in vain.
        var attempts = 0
        /// In seconds of the queue's time.
        var due: TimeInterval
    }

    enum Step: Sendable {
        case send(Entry)
        /// Nothing is due; the first will be at this time, or there is none.
        case wait(until: TimeInterval?)
        case end
    }

    enum Outcome: Sendable, Equatable {
        case sent
        /// The server would say the same again.
        case refused
        case failed
    }

    enum Verdict: Sendable, Equatable {
        case done
        case tryAgain
        case givenUp
    }

    /// After the first, second and third attempt, in seconds.
    static let pauses: [TimeInterval] = [10, 60, 300]

    private let capacity: Int
    private var entries: [Entry] = []
    private var underWay = 0
    private var isClosed = false

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// How many wait or are under way.
    var count: Int { entries.count + underWay }

    mutating func add(_ message: MailMessage, at time: TimeInterval) throws(MailRefused) {
        if isClosed { throw .stopped }
        if count >= capacity { throw .full }
        entries.append(Entry(message: message, due: time))
    }

    /// What somebody is to do who has nothing to do; what is under way is told to ``finish(_:_:at:)``.
    mutating func next(at time: TimeInterval) -> Step {
        // Those that have waited longest first.
        guard let index = entries.indices.min(by: { entries[$0].due < entries[$1].due }) else {
            return isClosed ? .end : .wait(until: nil)
        }
        guard isClosed || entries[index].due <= time else { return .wait(until: entries[index].due) }
        underWay += 1
        return .send(entries.remove(at: index))
    }

    mutating func finish(_ entry: Entry, _ outcome: Outcome, at time: TimeInterval) -> Verdict {
        underWay -= 1
        switch outcome {
        case .sent: return .done
        case .refused: return .givenUp
        case .failed:
            guard !isClosed, Self.pauses.indices.contains(entry.attempts) else { return .givenUp }
            var entry = entry
            entry.due = time + Self.pauses[entry.attempts]
            entry.attempts += 1
            entries.append(entry)
            return .tryAgain
        }
    }

    /// No more are taken in; those that wait are tried once more, at once.
    mutating func close() { isClosed = true }

    /// Nothing more is tried.
    ///
    /// - Returns: how many waited.
    mutating func abandon() -> Int {
        isClosed = true
        defer { entries = [] }
        return entries.count
    }
}
