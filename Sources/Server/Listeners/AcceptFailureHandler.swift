import Foundation
import Logging
import NIOCore

/// Says that the system has no descriptors left for connections, and has the listener wait before it tries again.
///
/// NIO's own handler only keeps from asking anew: as long as the first connection of a turn can not be taken, NIO (2.101.2) takes
/// its last asking for unanswered, and is woken at once by the connections that wait, again and again. Only a channel that does not
/// read by itself sleeps.
final class AcceptFailureHandler: ChannelInboundHandler {
    typealias InboundIn = NIOAny
    typealias InboundOut = NIOAny

    private static let pause = TimeAmount.seconds(1)
    /// What passes by itself, at once or never, is no reason to keep others waiting.
    private static let shortages: Set<CInt> = [EMFILE, ENFILE, ENOBUFS, ENOMEM]

    private let notice: PacedWarning
    private var isPausing = false

    init(of listener: String, logger: Logger) {
        notice = PacedWarning(
            "connections can not be taken", ["listener": "\(listener)"], logger: logger)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let number = (error as? IOError)?.errnoCode
        let cause = number.map { String(cString: strerror($0)) } ?? "\(type(of: error))"
        notice.give(["cause": "\(cause)"])
        if let number, Self.shortages.contains(number) { pause(context.channel) }
        context.fireErrorCaught(error)
    }

    private func pause(_ channel: any Channel) {
        guard !isPausing, let options = channel.syncOptions else { return }
        isPausing = true
        // Fails only where it is closed, and then nothing is read any more.
        try? options.setOption(.autoRead, value: false)
        channel.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) {
            self.isPausing = false
            try? options.setOption(.autoRead, value: true)
        }
    }

    /// Puts one in front of everything else that hears of a listener's failures.
    static func watch(_ channel: any Channel, of listener: String, logger: Logger) async {
        try? await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.addHandler(
                AcceptFailureHandler(of: listener, logger: logger), position: .first)
        }.get()
    }
}
