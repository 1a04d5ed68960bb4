import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// A limit on the number of open connections. Further connections wait in the kernel, and the log reports from time
/// to time that the limit is reached. Source: Pitfall 15, “Request smuggling and parser exhaustion”.
struct ConnectionBudget: AvailableConnectionsDelegate {
    private let limit: Int
    private let rateLimiter: LogRateLimiter
    private var open = 0

    /// - Parameters:
    ///   - limit: The maximum number of open connections.
    ///   - listener: The name of the listener in the log.
    init(_ limit: Int, of listener: String, logger: Logger) {
        self.limit = limit
        rateLimiter = LogRateLimiter(
            "Connection limit reached", ["listener": "\(listener)"], logger: logger)
    }

    mutating func connectionOpened() {
        open += 1
        if open >= limit { rateLimiter.log(["connections": "\(open)"]) }
    }

    mutating func connectionClosed() { open -= 1 }

    func isAcceptingNewConnections() -> Bool { open < limit }
}

/// A warning that is logged at most once a minute.
final class LogRateLimiter: Sendable {
    private let message: Logger.Message
    private let metadata: Logger.Metadata
    private let logger: Logger
    private let next = Mutex<ContinuousClock.Instant?>(nil)

    private static let pause = Duration.seconds(60)

    init(_ message: Logger.Message, _ metadata: Logger.Metadata, logger: Logger) {
        self.message = message
        self.metadata = metadata
        self.logger = logger
    }

    func log(_ more: Logger.Metadata, at now: ContinuousClock.Instant = .now) {
        let isDue = next.withLock { next in
            if let due = next, now < due { return false }
            next = now + Self.pause
            return true
        }
        if isDue { logger.warning(message, metadata: metadata.merging(more) { $1 }) }
    }
}
