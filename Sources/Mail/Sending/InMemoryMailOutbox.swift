import Foundation
import Gatefold
import Synchronization

/// The messages that were accepted while the state was away. They wait in memory, and only this process sends them.
final class InMemoryMailOutbox: MailOutbox {
    private struct Entry {
        let mail: QueuedMail
        var attempts = 0
        var due: Date
        /// The time at which `due` was set. The clock was set back if it is in the future.
        var set: Date
        /// The attempt in progress; nil for none.
        var lease: [UInt8]?

        /// The tolerance of a minute for a clock that was corrected is that of the state.
        func isDue(at timestamp: Date) -> Bool { due <= timestamp || set > timestamp.addingTimeInterval(60) }
    }

    private struct State {
        /// In the order of arrival.
        var entries: [Entry] = []
        var isClosed = false
    }

    private let state = Mutex(State())

    func enqueue(_ mail: QueuedMail, limit: Int, at timestamp: Date) -> Bool {
        state.withLock { state in
            guard !state.isClosed, state.entries.count < limit else { return false }
            state.entries.append(Entry(mail: mail, due: timestamp, set: timestamp))
            return true
        }
    }

    func claimMail(_ count: Int, lease: [UInt8], at timestamp: Date, until end: Date) -> [MailClaim] {
        state.withLock { state in
            let due = state.entries.indices.filter { index in
                let entry = state.entries[index]
                return entry.isDue(at: timestamp) || (state.isClosed && entry.lease == nil)
            }
            return due.sorted { state.entries[$0].due < state.entries[$1].due }.prefix(count).map { index in
                let isOutcomeUnknown = state.entries[index].lease != nil
                state.entries[index].attempts += 1
                state.entries[index].lease = lease
                state.entries[index].due = end
                state.entries[index].set = timestamp
                let entry = state.entries[index]
                return MailClaim(
                    id: entry.mail.id, content: entry.mail.content, expiresAt: entry.mail.expiresAt, lease: lease,
                    // After the close there is no time for another attempt.
                    attempts: state.isClosed ? max(entry.attempts, MailRetries.maxAttempts) : entry.attempts,
                    isOutcomeUnknown: isOutcomeUnknown)
            }
        }
    }

    func postponeMail(_ id: QueuedMail.ID, lease: [UInt8], at timestamp: Date, until next: Date) {
        state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.mail.id == id && $0.lease == lease }) else { return }
            state.entries[index].lease = nil
            state.entries[index].due = next
            state.entries[index].set = timestamp
        }
    }

    func removeMail(_ id: QueuedMail.ID) {
        state.withLock { $0.entries.removeAll { $0.mail.id == id } }
    }

    func waitingMail() -> Int { state.withLock(\.entries.count) }

    /// Stops accepting messages. Each waiting message is due at once, for its last attempt.
    func close() { state.withLock { $0.isClosed = true } }

    /// Closes the queue and drops the messages of which no attempt is in progress.
    ///
    /// - Returns: The number of dropped messages.
    func abandon() -> Int {
        state.withLock { state in
            state.isClosed = true
            let count = state.entries.count
            state.entries.removeAll { $0.lease == nil }
            return count - state.entries.count
        }
    }
}
