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

/// Says that the system has no descriptors left for connections; NIO waits a second then, and tries again.
final class AcceptFailureReporter: ChannelInboundHandler {
    typealias InboundIn = NIOAny
    typealias InboundOut = NIOAny

    private let notice: PacedWarning

    init(of listener: String, logger: Logger) {
        notice = PacedWarning(
            "connections can not be taken", ["listener": "\(listener)"], logger: logger)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let cause = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(type(of: error))"
        notice.give(["cause": "\(cause)"])
        context.fireErrorCaught(error)
    }

    /// Puts a reporter in front of everything else that hears of a listener's failures.
    static func watch(_ channel: any Channel, of listener: String, logger: Logger) async {
        try? await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.addHandler(
                AcceptFailureReporter(of: listener, logger: logger), position: .first)
        }.get()
    }
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
