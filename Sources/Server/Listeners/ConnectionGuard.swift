import ContentGate
import HummingbirdCore
import Logging
import NIOCore
import NIOSSL
import NIOTLS

/// A kind of connection with a watch over those that hold a place and do not use it (PITFALLS rows 15 and 17).
///
/// Hummingbird closes connections that are idle between requests or slow with a request's headers. It has no eye on those that
/// never finish their TLS handshake, on downloads that nobody reads any more, and on connections that nobody takes any more.
struct GuardedChannel<Wrapped: ServerChildChannel>: ServerChildChannel {
    let wrapped: Wrapped
    /// For so long nothing at all may move.
    let patience: TimeAmount
    /// Whether requests may come as streams of HTTP/2, each of which somebody has to take.
    var mayCarryStreams = Wrapped.self == SecureChannel.self
    /// Counts the connections of each client; nil where they are not limited.
    var places: ConnectionPlaces?

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Wrapped.Value> {
        do {
            try channel.pipeline.syncOperations.addHandler(StandstillHandler(patience: patience))
            if let places { try channel.pipeline.syncOperations.addHandler(ConnectionPlaceHandler(places)) }
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        let value = wrapped.setup(channel: channel, logger: logger)
        if let tls = try? channel.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self) {
            try? channel.pipeline.syncOperations.addHandler(
                HandshakeDeadlineHandler(deadline: patience), position: .after(tls))
        }
        // When the server stops, what came just now is handled by nobody; and what is written to by nobody any more, NIO wants to
        // have been closed before, at the price of the program.
        return value.map { value in
            channel.closeFuture.whenComplete { _ in withExtendedLifetime(value) {} }
            return value
        }
    }

    func handle(value: Wrapped.Value, logger: Logger) async {
        guard mayCarryStreams else { return await wrapped.handle(value: value, logger: logger) }
        await closeBeforeCancelling(value, logger)
    }

    /// Cancelled work takes no more streams, and a stream that nobody takes ends the program, as above. So when the
    /// server has no more patience the connection is closed first, and the work cancelled once nothing can come on it.
    private func closeBeforeCancelling(_ value: Wrapped.Value, _ logger: Logger) async {
        let work = Task { await wrapped.handle(value: value, logger: logger) }
        await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            // At once: a download is not cancelled yet, and what it writes would be waited for to its end.
            let order: ConnectionOrder = .giveUp
            value.channel.triggerUserOutboundEvent(order, promise: nil)
            value.channel.closeFuture.whenComplete { _ in work.cancel() }
        }
    }
}

/// Closes a connection on which no byte has gone either way for a while; stands next to the socket.
///
/// What waits in the socket's own buffer counts as gone, so the time begins when that is full.
final class StandstillHandler: ChannelDuplexHandler, NIOScheduledCallbackHandler {
    typealias InboundIn = NIOAny
    typealias OutboundIn = NIOAny

    private let patience: TimeAmount
    private var hasMoved = true
    private var waiting = 0
    private var context: ChannelHandlerContext?
    private var watch: NIOScheduledCallback?

    /// - Parameter patience: closed is after that long at the earliest, and twice that long at the latest.
    init(patience: TimeAmount) {
        self.patience = patience
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        keepWatch(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        watch?.cancel()
        self.context = nil
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

    /// Handlers further in let what is written leave before a connection closes; who gives up does not wait for that.
    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard case ConnectionOrder.giveUp? = event as? ConnectionOrder else {
            context.triggerUserOutboundEvent(event, promise: promise)
            return
        }
        context.close(promise: promise)
    }

    func handleScheduledCallback(eventLoop: some EventLoop) {
        guard let context else { return }
        look(context)
    }

    private func keepWatch(_ context: ChannelHandlerContext) {
        watch = try? context.eventLoop.assumeIsolated().scheduleCallback(in: patience, handler: self)
    }

    private func look(_ context: ChannelHandlerContext) {
        let left = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        defer {
            hasMoved = false
            waiting = left
        }
        if !hasMoved, left == waiting {
            context.close(promise: nil)
        } else {
            keepWatch(context)
        }
    }
}

/// Closes a connection that has not shaken hands in time, however busily it pretends to, or when the server stops.
///
/// A stop is announced once. The handlers that would obey come only after the handshake, and would never hear of it.
final class HandshakeDeadlineHandler: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    private let deadline: TimeAmount
    private var task: Scheduled<Void>?
    private var hasShakenHands = false

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
        if case TLSUserEvent.handshakeCompleted? = event as? TLSUserEvent {
            hasShakenHands = true
            task?.cancel()
        } else if event is ChannelShouldQuiesceEvent, !hasShakenHands {
            // No request can have come yet.
            context.close(promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }
}
