import ContentGate
import NIOCore

/// Closes a connection with TLS without waiting for its client to agree once the server stops; stands right behind TLS.
///
/// TLS sends `close_notify` and then waits five seconds for the client's, which a client that does not read never sends.
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

    /// The socket may not have taken the end of a response yet.
    private func closeOnceSent(_ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        let unsent = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        guard unsent > 0 else {
            let order: ConnectionOrder = .giveUp
            context.triggerUserOutboundEvent(order, promise: nil)
            return
        }
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) { self.closeOnceSent(context) }
    }
}
