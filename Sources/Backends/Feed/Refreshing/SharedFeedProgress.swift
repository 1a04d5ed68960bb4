import Foundation
import Gatefold
import Synchronization

/// What a process knows of a shared feed, in memory.
final class SharedFeedProgress: Sendable {
    private struct State {
        var hasTried = false
        var published: Data?
        var retry = SharedDocumentRetry()
    }

    private let state = Mutex(State())

    /// A Boolean value that indicates whether this process has made an attempt for all nodes.
    var hasTried: Bool { state.withLock(\.hasTried) }
    /// The SHA-256 of the last database that this process tried to share.
    var published: Data? { state.withLock(\.published) }

    func recordAttempt() { state.withLock { $0.hasTried = true } }
    func publish(_ version: Data) { state.withLock { $0.published = version } }

    /// Returns whether a document may be tried, see ``SharedDocumentRetry``.
    func mayTry(_ document: SharedDocument, at elapsed: TimeInterval) -> Bool {
        state.withLock { $0.retry.mayTry(document, at: elapsed) }
    }

    func recordFailure(of document: SharedDocument, at elapsed: TimeInterval) {
        state.withLock { $0.retry.recordFailure(of: document, at: elapsed) }
    }
}
