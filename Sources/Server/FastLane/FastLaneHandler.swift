import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Answers requests on the event loop whose answer is decided already, ahead of everything that parses, routes and waits; whatever
/// else comes passes through untouched.
///
/// Stands where bytes are still bytes. As long as nothing of a connection has gone further in, each plain request that has a decided
/// answer is answered here, in order. The first that has none goes in, and so does all that follows it, until the inner handlers have
/// answered everything that went in (``LaneSignal``) and cannot hold part of another request: so answers never overtake each other.
final class FastLaneHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// So many bytes of answers are made before any is taken, and one answer more.
    private static let mostAtOnce = 64 << 10

    private let answers: LaneAnswers
    private var peer: LanePeer?
    private var memory: LaneMemory?
    /// Whether something went in that is not answered yet.
    private var isBusyInside = false
    /// Whether what went in last ended a head: the parser inside then holds no part of another request.
    private var endedAtHead = false
    /// Whether no more requests are answered here, because the connection is about to end.
    private var isOver = false
    private var hasUnflushed = false
    /// Whether something went in that is not said to be complete.
    private var hasPassed = false
    /// When a request was last answered here.
    private(set) var lastAnswer: NIODeadline = .now()

    init(_ answers: LaneAnswers) {
        self.answers = answers
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        // Whoever does not read answers gets no more of them at once: the handlers inside know when to stop reading.
        if !isBusyInside, !isOver, context.channel.isWritable { answer(&bytes, context) }
        guard bytes.readableBytes > 0 else { return }
        isBusyInside = true
        hasPassed = true
        endedAtHead = bytes.readableBytesView.suffix(4).elementsEqual("\r\n\r\n".utf8)
        context.fireChannelRead(wrapInboundOut(bytes))
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if hasUnflushed {
            hasUnflushed = false
            context.flush()
        }
        // What was answered here is no news further in.
        guard hasPassed else { return }
        hasPassed = false
        context.fireChannelReadComplete()
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        isOver = true
        // A client that has said all it will gets the rest of its answers all the same.
        guard mode != .input else {
            context.close(mode: mode, promise: promise)
            return
        }
        // Writes are done in order: once this one is, so are all answers before it.
        let loopBound = context.loopBound
        context.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { _ in
            loopBound.value.close(mode: mode, promise: promise)
        }
    }

    /// Whatever comes from here on is for the handlers inside.
    func stop() {
        isOver = true
    }

    /// Whether nothing that went in waits for its answer, or for its rest.
    var isAlone: Bool { !isBusyInside && !isOver }

    /// Everything that went in is answered.
    func insideIsIdle() {
        if endedAtHead { isBusyInside = false }
    }

    private func answer(_ bytes: inout ByteBuffer, _ context: ChannelHandlerContext) {
        let peer = peer ?? LanePeer(context.channel)
        self.peer = peer
        let memory = memory ?? answers.memories.memory(on: context.eventLoop)
        self.memory = memory
        var out: ByteBuffer?
        // What is left goes in, where nothing is answered faster than it is taken.
        while bytes.readableBytes > 0, (out?.readableBytes ?? 0) < Self.mostAtOnce,
            answers.answer(&bytes, peer, memory, into: &out)
        {}
        guard let out else { return }
        lastAnswer = .now()
        hasUnflushed = true
        context.write(wrapOutboundOut(out), promise: nil)
    }
}

/// Tells the fast lane when everything that went further in is answered; stands where requests are requests.
///
/// Closes connections on which nothing happens, too, for what passes by in the fast lane is seen nowhere further in; and, when the
/// server stops, those that are left, each as soon as everything is answered.
final class LaneSignal: ChannelDuplexHandler, RemovableChannelHandler, NIOScheduledCallbackHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let idleTimeout: TimeAmount
    private var lane: FastLaneHandler?
    private var inProgress = 0
    private var isBeingRead = false
    private var isToClose = false
    private var lastPart: NIODeadline = .now()
    private var context: ChannelHandlerContext?
    private var watch: NIOScheduledCallback?

    /// - Parameter idleTimeout: for so long a connection may wait between requests, and for the rest of one that has begun.
    init(idleTimeout: TimeAmount) {
        self.idleTimeout = idleTimeout
    }

    func handlerAdded(context: ChannelHandlerContext) {
        lane = try? context.pipeline.syncOperations.handler(type: FastLaneHandler.self)
        lastPart = .now()
        self.context = context
        schedule(context, in: idleTimeout)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        watch?.cancel()
        self.context = nil
        lane = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        watch?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        lastPart = .now()
        switch unwrapInboundIn(data) {
        case .head(let head):
            // As ``LastRequestHandler`` says it.
            if head.headerFields[.connection] == "close" { lane?.stop() }
            inProgress += 1
            isBeingRead = true
        case .body: break
        case .end: isBeingRead = false
        }
        context.fireChannelRead(data)
    }

    /// The connection ends with the answer to what could not be read.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        lane?.stop()
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .end = unwrapOutboundIn(data) else {
            context.write(data, promise: promise)
            return
        }
        lastPart = .now()
        // What can not be read is answered, too, and is no request.
        inProgress = max(0, inProgress - 1)
        context.write(data, promise: promise)
        guard inProgress == 0 else { return }
        if !isBeingRead { lane?.insideIsIdle() }
        if isToClose {
            context.flush()
            context.close(promise: nil)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is ChannelShouldQuiesceEvent else {
            context.fireUserInboundEventTriggered(event)
            return
        }
        isToClose = true
        if inProgress == 0 { context.close(promise: nil) }
    }

    func handleScheduledCallback(eventLoop: some EventLoop) {
        guard let context else { return }
        look(context)
    }

    private func schedule(_ context: ChannelHandlerContext, in time: TimeAmount) {
        watch = try? context.eventLoop.assumeIsolated().scheduleCallback(in: time, handler: self)
    }

    private func hasUnsent(_ context: ChannelHandlerContext) -> Bool {
        ((try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0) > 0
    }

    private func look(_ context: ChannelHandlerContext) {
        // A request is whole and its answer takes long: that is ours. Nor is a client idle that still takes an answer; when it takes
        // nothing of it, another handler closes.
        if inProgress > 0 && !isBeingRead || hasUnsent(context) {
            schedule(context, in: idleTimeout)
            return
        }
        let last = max(lastPart, lane?.lastAnswer ?? lastPart)
        let left = last + idleTimeout - .now()
        if left > .zero {
            schedule(context, in: left)
        } else {
            context.close(promise: nil)
        }
    }
}
