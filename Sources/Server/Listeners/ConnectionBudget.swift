import Gatefold
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Primitives

/// A limit on the number of open connections. Further connections wait in the kernel, and the log reports from time
/// to time that the limit is reached. Source: Pitfall 15, “Request smuggling and parser exhaustion”.
struct ConnectionBudget: AvailableConnectionsDelegate {
    private let limit: Int
    private let listener: String
    private let logger: Logger
    private let rateLimiter = LogRateLimiter()
    private var open = 0

    /// - Parameters:
    ///   - limit: The maximum number of open connections.
    ///   - listener: The name of the listener in the log.
    init(_ limit: Int, of listener: String, logger: Logger) {
        self.limit = limit
        self.listener = listener
        self.logger = logger
    }

    mutating func connectionOpened() {
        open += 1
        guard open >= limit, rateLimiter.admits() else { return }
        logger.warning("Connection limit reached", metadata: ["listener": "\(listener)", "connections": "\(open)"])
    }

    mutating func connectionClosed() { open -= 1 }

    func isAcceptingNewConnections() -> Bool { open < limit }
}
