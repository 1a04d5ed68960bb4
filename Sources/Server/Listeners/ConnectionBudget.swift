import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// Takes connections up to a number, and has the others wait in the kernel; says once in a while that the number is reached
/// (PITFALLS row 15).
struct ConnectionBudget: AvailableConnectionsDelegate {
    private let most: Int
    private let notice: PacedWarning
    private var open = 0

    /// - Parameters:
    ///   - most: connections at a time.
    ///   - listener: what the log calls it.
    init(_ most: Int, of listener: String, logger: Logger) {
        self.most = most
        notice = PacedWarning("all places for connections are taken", ["listener": "\(listener)"], logger: logger)
    }

    mutating func connectionOpened() {
        open += 1
        if open >= most { notice.give(["connections": "\(open)"]) }
    }

    mutating func connectionClosed() { open -= 1 }

    func isAcceptingNewConnections() -> Bool { open < most }
}

/// A warning that is not given more than once a minute, however often there is cause.
final class PacedWarning: Sendable {
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

    func give(_ more: Logger.Metadata, at now: ContinuousClock.Instant = .now) {
        let isDue = next.withLock { next in
            if let due = next, now < due { return false }
            next = now + Self.pause
            return true
        }
        if isDue { logger.warning(message, metadata: metadata.merging(more) { $1 }) }
    }
}
