package import Foundation

/// The waits between attempts to take over the same shared document: 30 s after the first failure, then twice as long each
/// time, up to an hour. A document with another content may be tried at once.
package struct SharedDocumentRetry: Sendable {
    private static let minWait: TimeInterval = 30
    private static let maxWait: TimeInterval = 3600

    private var version: Data?
    private var wait: TimeInterval = 0
    private var next = -TimeInterval.infinity
    private var hasFailed = false

    package init() {}

    /// - Parameter elapsed: The monotonic time.
    package func mayTry(_ document: SharedDocument, at elapsed: TimeInterval) -> Bool {
        !hasFailed || document.version != version || next <= elapsed
    }

    package mutating func recordFailure(of document: SharedDocument, at elapsed: TimeInterval) {
        let isSame = hasFailed && document.version == version
        wait = isSame ? min(2 * wait, Self.maxWait) : Self.minWait
        (version, next, hasFailed) = (document.version, elapsed + wait, true)
    }
}
