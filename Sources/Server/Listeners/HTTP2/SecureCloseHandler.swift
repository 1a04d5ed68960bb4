import ContentGate
import NIOCore

/// A handler that closes a TLS connection without waiting for the client's agreement when the server stops. Its
/// position is directly behind TLS.
///
/// TLS sends `close_notify` and then waits 5 s for the client's `close_notify`, which a client that does not read
/// never sends.
final class SecureCloseHandler: ChannelDuplexHandler {
    typealias InboundIn = NIOAny
    typealias OutboundIn = NIOAny

    private static let pause = TimeAmount.milliseconds(50)
    private var isStopping = false

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { isStopping = true }
        context.fireUserInboundEventTriggered(event)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        context.close(mode: mode, promise: promise)
        if isStopping, mode == .all { closeOnceSent(context) }
    }

    /// Closes the connection as soon as all bytes are sent, because the socket may not yet have accepted the end of
    /// a response.
    private func closeOnceSent(_ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        let unsent = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        guard unsent > 0 else {
            let closeMode: ConnectionCloseMode = .abort
            context.triggerUserOutboundEvent(closeMode, promise: nil)
            return
        }
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) { self.closeOnceSent(context) }
    }
}
