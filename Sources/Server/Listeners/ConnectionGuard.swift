import HummingbirdCore
import Logging
import NIOCore
import NIOSSL
import NIOTLS

/// A kind of connection with a watch over those that hold a place and do not use it (PITFALLS rows 15 and 17).
///
/// Hummingbird closes connections that are idle between requests or slow with a request's headers. It has no eye on those that
/// never finish their TLS handshake, and on downloads that nobody reads any more.
struct GuardedChannel<Wrapped: ServerChildChannel>: ServerChildChannel {
    let wrapped: Wrapped
    /// For so long nothing at all may move.
    let patience: TimeAmount

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Wrapped.Value> {
        do {
            try channel.pipeline.syncOperations.addHandler(StandstillHandler(patience: patience))
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        let value = wrapped.setup(channel: channel, logger: logger)
        if let tls = try? channel.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self) {
            try? channel.pipeline.syncOperations.addHandler(
                HandshakeDeadlineHandler(deadline: patience), position: .after(tls))
        }
        return value
    }

    func handle(value: Wrapped.Value, logger: Logger) async {
        await wrapped.handle(value: value, logger: logger)
    }
}

/// Closes a connection on which no byte has gone either way for a while; stands next to the socket.
///
/// What waits in the socket's own buffer counts as gone, so the time begins when that is full.
final class StandstillHandler: ChannelDuplexHandler {
    typealias InboundIn = NIOAny
    typealias OutboundIn = NIOAny

    private let patience: TimeAmount
    private var hasMoved = true
    private var waiting = 0
    private var watch: RepeatedTask?

    /// - Parameter patience: closed is after that long at the earliest, and twice that long at the latest.
    init(patience: TimeAmount) {
        self.patience = patience
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let (handler, context) = (NIOLoopBound(self, eventLoop: context.eventLoop), context.loopBound)
        watch = context.eventLoop.scheduleRepeatedTask(initialDelay: patience, delay: patience) { _ in
            handler.value.look(context.value)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        watch?.cancel()
    }

    func channelInactive(context: ChannelHandlerContext) {
        watch?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hasMoved = true
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // Bytes that join a queue have not moved; they have when the queue was empty.
        if waiting == 0 { hasMoved = true }
        context.write(data, promise: promise)
    }

    private func look(_ context: ChannelHandlerContext) {
        let left = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        defer {
            hasMoved = false
            waiting = left
        }
        guard !hasMoved, left == waiting else { return }
        watch?.cancel()
        context.close(promise: nil)
    }
}

/// Closes a connection that has not shaken hands in time, however busily it pretends to.
final class HandshakeDeadlineHandler: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    private let deadline: TimeAmount
    private var task: Scheduled<Void>?

    init(deadline: TimeAmount) {
        self.deadline = deadline
    }

    func handlerAdded(context: ChannelHandlerContext) {
        task = context.eventLoop.assumeIsolated().scheduleTask(in: deadline) { context.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        task?.cancel()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted? = event as? TLSUserEvent { task?.cancel() }
        context.fireUserInboundEventTriggered(event)
    }
}
