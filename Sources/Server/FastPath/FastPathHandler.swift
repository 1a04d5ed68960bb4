import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// A handler that sends already decided responses on the event loop, ahead of all parsing, routing and waiting. All
/// other bytes pass through untouched.
///
/// The handler works on raw bytes. While no request of the connection is inside the pipeline, the handler responds
/// to each plain request that has a decided response, in order. The first request without a decided response passes
/// to the inner handlers, and so does everything after it. The fast path resumes when the inner handlers have
/// responded to everything that they received (``FastPathSignal``) and cannot hold part of another request. Responses
/// therefore never overtake each other.
final class FastPathHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The limit of response bytes that one pass produces before they are written. The last response may exceed the
    /// limit.
    private static let maxBatchBytes = 64 << 10

    private let responses: FastPathResponder
    private var peer: FastPathPeer?
    private var cache: FastPathCache?
    /// A Boolean value that indicates whether the inner handlers received bytes and have not yet responded to all
    /// of them.
    private var isPipelineBusy = false
    /// A Boolean value that indicates whether the last bytes that passed inside ended a request head. The inner
    /// parser then holds no part of another request.
    private var endedAtHead = false
    /// A Boolean value that indicates whether the fast path has stopped because the connection is about to end.
    private var isClosed = false
    private var hasUnflushed = false
    /// A Boolean value that indicates whether bytes passed inside without a read-complete event after them.
    private var hasPassed = false
    /// The time of the last response of the fast path.
    private(set) var lastResponse: NIODeadline = .now()

    init(_ responses: FastPathResponder) {
        self.responses = responses
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        // A client that does not read its responses gets no more of them from here. The inner handlers know when to
        // stop reading.
        if !isPipelineBusy, !isClosed, context.channel.isWritable { response(&bytes, context) }
        guard bytes.readableBytes > 0 else { return }
        isPipelineBusy = true
        hasPassed = true
        endedAtHead = bytes.readableBytesView.suffix(4).elementsEqual("\r\n\r\n".utf8)
        context.fireChannelRead(wrapInboundOut(bytes))
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if hasUnflushed {
            hasUnflushed = false
            context.flush()
        }
        // Requests that the fast path handled cause no event for the inner handlers.
        guard hasPassed else { return }
        hasPassed = false
        context.fireChannelReadComplete()
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        isClosed = true
        // A client that has closed its sending side still receives the remaining responses.
        guard mode != .input else {
            context.close(mode: mode, promise: promise)
            return
        }
        // Writes complete in order. When this write completes, all earlier responses are written.
        let loopBound = context.loopBound
        context.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { _ in
            loopBound.value.close(mode: mode, promise: promise)
        }
    }

    /// Stops the fast path, so that all further bytes pass to the inner handlers.
    func stop() {
        isClosed = true
    }

    /// A Boolean value that indicates whether no request inside the pipeline awaits its response or its remaining
    /// bytes.
    var isAlone: Bool { !isPipelineBusy && !isClosed }

    /// Records that the inner handlers have responded to everything they received.
    func pipelineDidBecomeIdle() {
        if endedAtHead { isPipelineBusy = false }
    }

    private func response(_ bytes: inout ByteBuffer, _ context: ChannelHandlerContext) {
        let peer = peer ?? FastPathPeer(context.channel)
        self.peer = peer
        let cache = cache ?? responses.caches.cache(on: context.eventLoop)
        self.cache = cache
        var out: ByteBuffer?
        // The remaining bytes pass inside if the limit of response bytes is reached.
        while bytes.readableBytes > 0, (out?.readableBytes ?? 0) < Self.maxBatchBytes,
            responses.response(&bytes, peer, cache, into: &out)
        {}
        guard let out else { return }
        lastResponse = .now()
        hasUnflushed = true
        context.write(wrapOutboundOut(out), promise: nil)
    }
}

/// A handler that signals the fast path when the inner handlers have responded to everything they received. It
/// works on parsed requests.
///
/// The handler also closes idle connections, because the inner handlers do not see the requests of the fast path.
/// When the server stops, it closes each remaining connection as soon as all its responses are sent.
final class FastPathSignal: ChannelDuplexHandler, RemovableChannelHandler, NIOScheduledCallbackHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let idleTimeout: TimeAmount
    private var fastPath: FastPathHandler?
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
        fastPath = try? context.pipeline.syncOperations.handler(type: FastPathHandler.self)
        lastPart = .now()
        self.context = context
        schedule(context, in: idleTimeout)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        watch?.cancel()
        self.context = nil
        fastPath = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        watch?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        lastPart = .now()
        switch unwrapInboundIn(data) {
        case .head(let head):
            // The same rule as in ``ConnectionCloseHandler``.
            if head.headerFields[.connection] == "close" { fastPath?.stop() }
            inProgress += 1
            isBeingRead = true
        case .body: break
        case .end: isBeingRead = false
        }
        context.fireChannelRead(data)
    }

    /// Stops the fast path, because the connection ends with the response to the unreadable request.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fastPath?.stop()
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
        if !isBeingRead { fastPath?.pipelineDidBecomeIdle() }
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
        if inProgress == 0 { context.close(promise: nil) }
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
        if inProgress > 0 && !isBeingRead || hasUnsent(context) {
            schedule(context, in: idleTimeout)
            return
        }
        let last = max(lastPart, fastPath?.lastResponse ?? lastPart)
        let left = last + idleTimeout - .now()
        if left > .zero {
            schedule(context, in: left)
        } else {
            context.close(promise: nil)
        }
    }
}
