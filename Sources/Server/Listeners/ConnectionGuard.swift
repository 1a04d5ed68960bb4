import ContentGate
import HummingbirdCore
import Logging
import NIOCore
import NIOSSL
import NIOTLS

/// A channel that closes connections which occupy a place without using it. Source: Pitfall 15, “Request smuggling
/// and parser exhaustion”. Source: Pitfall 17, “Ranges and large files turned against the gate”.
///
/// Hummingbird closes connections that are idle between requests or slow to send a request's headers. It does not
/// close connections that never finish their TLS handshake, downloads that the client no longer reads, and
/// connections that no task handles any more.
struct TimeoutGuardedChannel<Wrapped: ServerChildChannel>: ServerChildChannel {
    let wrapped: Wrapped
    /// The maximum time without any transfer of bytes.
    let stallTimeout: TimeAmount
    /// A Boolean value that indicates whether requests may arrive as HTTP/2 streams.
    var mayCarryStreams = Wrapped.self == SecureChannel.self
    /// The limit of connections per client; nil for no limit.
    var slots: ConnectionSlots?

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Wrapped.Value> {
        do {
            try channel.pipeline.syncOperations.addHandler(StallTimeoutHandler(stallTimeout: stallTimeout))
            if let slots { try channel.pipeline.syncOperations.addHandler(ConnectionSlotHandler(slots)) }
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        let value = wrapped.setup(channel: channel, logger: logger)
        if let tls = try? channel.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self) {
            try? channel.pipeline.syncOperations.addHandler(
                HandshakeDeadlineHandler(deadline: stallTimeout), position: .after(tls))
        }
        // When the server stops, no task handles a connection that was just accepted. NIO requires that a
        // connection is closed before its writer is released, and terminates the program otherwise.
        return value.map { value in
            channel.closeFuture.whenComplete { _ in withExtendedLifetime(value) {} }
            return value
        }
    }

    func handle(value: Wrapped.Value, logger: Logger) async {
        guard mayCarryStreams else { return await wrapped.handle(value: value, logger: logger) }
        await closeBeforeCancelling(value, logger)
    }

    /// Closes the connection before the work is cancelled. The work of an HTTP/2 connection waits for its end, and
    /// the tasks of its streams are not part of that work. At the end of the shutdown time the connection is
    /// therefore closed first, which cancels these tasks.
    private func closeBeforeCancelling(_ value: Wrapped.Value, _ logger: Logger) async {
        let work = Task { await wrapped.handle(value: value, logger: logger) }
        await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            // The connection closes at once. The download is not cancelled yet, so a normal close would wait until
            // it is written.
            let closeMode: ConnectionCloseMode = .abort
            value.channel.triggerUserOutboundEvent(closeMode, promise: nil)
            value.channel.closeFuture.whenComplete { _ in work.cancel() }
        }
    }
}

/// A handler that closes a connection on which no byte has moved in either direction for a time limit. Its position
/// is next to the socket.
///
/// Bytes in the socket's own buffer count as moved, so the time starts when that buffer is full.
final class StallTimeoutHandler: ChannelDuplexHandler, NIOScheduledCallbackHandler {
    typealias InboundIn = NIOAny
    typealias OutboundIn = NIOAny

    private let stallTimeout: TimeAmount
    private var hasMoved = true
    private var waiting = 0
    private var context: ChannelHandlerContext?
    private var watch: NIOScheduledCallback?

    /// - Parameter stallTimeout: The time limit. The connection closes after this time at the earliest, and after twice
    ///   this time at the latest.
    init(stallTimeout: TimeAmount) {
        self.stallTimeout = stallTimeout
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        watchProgress(context)
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
        // Bytes that join a queue have not moved. If the queue was empty, they have.
        if waiting == 0 { hasMoved = true }
        context.write(data, promise: promise)
    }

    /// Closes the connection at once on the order `abort`. Inner handlers let written bytes leave before a
    /// connection closes, and this order skips that wait.
    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard case ConnectionCloseMode.abort? = event as? ConnectionCloseMode else {
            context.triggerUserOutboundEvent(event, promise: promise)
            return
        }
        context.close(promise: promise)
    }

    func handleScheduledCallback(eventLoop: some EventLoop) {
        guard let context else { return }
        checkTimeout(context)
    }

    private func watchProgress(_ context: ChannelHandlerContext) {
        watch = try? context.eventLoop.assumeIsolated().scheduleCallback(in: stallTimeout, handler: self)
    }

    private func checkTimeout(_ context: ChannelHandlerContext) {
        let left = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        defer {
            hasMoved = false
            waiting = left
        }
        if !hasMoved, left == waiting {
            context.close(promise: nil)
        } else {
            watchProgress(context)
        }
    }
}

/// A handler that closes a connection whose TLS handshake is not complete at the deadline, even if bytes move, or
/// when the server stops.
///
/// A stop is announced once. The handlers that would react to it are added after the handshake, so they would miss
/// it.
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
            // No request can have arrived yet.
            context.close(promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }
}
