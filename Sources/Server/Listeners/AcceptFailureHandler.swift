import Foundation
import Gatefold
import Logging
import NIOCore
import Primitives

/// A handler that logs that the system has no descriptors left for connections, and pauses the listener before it
/// accepts again.
///
/// NIO's own handler only stops requesting reads. While the first connection of an accept round cannot be accepted,
/// NIO (2.101.2) treats its last read request as unfulfilled, so the waiting connections wake it again at once, in
/// a loop. Only a channel without automatic reads sleeps.
final class AcceptFailureHandler: ChannelInboundHandler {
    typealias InboundIn = NIOAny
    typealias InboundOut = NIOAny

    private static let pause = TimeAmount.seconds(1)
    /// The errors that indicate a shortage. Other errors pass at once or never, so they do not justify a pause for
    /// other clients.
    private static let resourceErrors: Set<CInt> = [EMFILE, ENFILE, ENOBUFS, ENOMEM]

    private let listener: String
    private let logger: Logger
    private let rateLimiter = LogRateLimiter()
    private var isPausing = false

    init(of listener: String, logger: Logger) {
        self.listener = listener
        self.logger = logger
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let number = (error as? IOError)?.errnoCode
        if rateLimiter.admits() {
            let cause = number.map { String(cString: strerror($0)) } ?? "\(type(of: error))"
            logger.warning(
                "Connections cannot be accepted", metadata: ["listener": "\(listener)", "cause": "\(cause)"])
        }
        if let number, Self.resourceErrors.contains(number) { pause(context.channel) }
        context.fireErrorCaught(error)
    }

    private func pause(_ channel: any Channel) {
        guard !isPausing, let options = channel.syncOptions else { return }
        isPausing = true
        // Setting the option fails only if the channel is closed, and then no reads follow.
        try? options.setOption(.autoRead, value: false)
        channel.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) {
            self.isPausing = false
            try? options.setOption(.autoRead, value: true)
        }
    }

    /// Adds a handler in front of all other handlers that receive a listener's errors.
    static func watch(_ channel: any Channel, of listener: String, logger: Logger) async {
        try? await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.addHandler(
                AcceptFailureHandler(of: listener, logger: logger), position: .first)
        }.get()
    }
}
