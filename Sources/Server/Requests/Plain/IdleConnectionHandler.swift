import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// A handler that closes idle connections, and all connections when the server stops, each as soon as all its responses
/// are sent. It works on parsed requests, behind a ``PlainRequestHandler``, and tells that handler when the inner
/// handlers have responded to everything they received.
final class IdleConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler, NIOScheduledCallbackHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let idleTimeout: TimeAmount
    private var front: PlainRequestHandler?
    private var inProgress = 0
    private var isBeingRead = false
    private var shouldClose = false
    private var lastPart: NIODeadline = .now()
    private var context: ChannelHandlerContext?
    private var watch: NIOScheduledCallback?

    /// - Parameter idleTimeout: The maximum time that a connection may wait between requests, or for the rest of a
    ///   request that has begun.
    init(idleTimeout: TimeAmount) {
        self.idleTimeout = idleTimeout
    }

    func handlerAdded(context: ChannelHandlerContext) {
        front = try? context.pipeline.syncOperations.handler(type: PlainRequestHandler.self)
        lastPart = .now()
        self.context = context
        schedule(context, in: idleTimeout)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        watch?.cancel()
        self.context = nil
        front = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        watch?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        lastPart = .now()
        switch unwrapInboundIn(data) {
        case .head(let head):
            front?.pipelineDidReceiveHead()
            // The same rule as in ``ConnectionCloseHandler``.
            if head.headerFields[.connection] == "close" { front?.stop() }
            inProgress += 1
            isBeingRead = true
        case .body: break
        case .end: isBeingRead = false
        }
        context.fireChannelRead(data)
    }

    /// Stops serving plain requests, because the connection ends with the response to the unreadable request.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        front?.stop()
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .end = unwrapOutboundIn(data) else {
            context.write(data, promise: promise)
            return
        }
        lastPart = .now()
        // An unreadable request also gets a response, but it did not count as a request.
        inProgress = max(0, inProgress - 1)
        context.write(data, promise: promise)
        guard inProgress == 0 else { return }
        if !isBeingRead { front?.pipelineDidBecomeIdle() }
        if shouldClose {
            context.flush()
            context.close(promise: nil)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is ChannelShouldQuiesceEvent else {
            context.fireUserInboundEventTriggered(event)
            return
        }
        shouldClose = true
        if front?.isResponding == true {
            front?.closeWhenIdle()
        } else if inProgress == 0 {
            context.close(promise: nil)
        }
    }

    func handleScheduledCallback(eventLoop: some EventLoop) {
        guard let context else { return }
        checkTimeout(context)
    }

    private func schedule(_ context: ChannelHandlerContext, in time: TimeAmount) {
        watch = try? context.eventLoop.assumeIsolated().scheduleCallback(in: time, handler: self)
    }

    private func hasUnsent(_ context: ChannelHandlerContext) -> Bool {
        ((try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0) > 0
    }

    private func checkTimeout(_ context: ChannelHandlerContext) {
        // The delay is the server's if a complete request awaits its response. A client that still receives a
        // response is not idle either. If it reads nothing, another handler closes the connection.
        if inProgress > 0 && !isBeingRead || front?.isResponding == true || hasUnsent(context) {
            schedule(context, in: idleTimeout)
            return
        }
        let last = max(lastPart, front?.lastResponse ?? lastPart)
        let left = last + idleTimeout - .now()
        if left > .zero {
            schedule(context, in: left)
        } else {
            context.close(promise: nil)
        }
    }
}
