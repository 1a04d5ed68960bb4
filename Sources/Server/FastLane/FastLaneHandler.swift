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

    private let answers: LaneAnswers
    private var peer: LanePeer?
    /// Whether something went in that is not answered yet.
    private var isBusyInside = false
    /// Whether what went in last ended a head: the parser inside then holds no part of another request.
    private var endedAtHead = false
    private var hasUnflushed = false
    /// When a request was last answered here.
    private(set) var lastAnswer: NIODeadline = .now()

    init(_ answers: LaneAnswers) {
        self.answers = answers
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        // Whoever does not read answers gets no more of them at once: the handlers inside know when to stop reading.
        if !isBusyInside, context.channel.isWritable { answer(&bytes, context) }
        guard bytes.readableBytes > 0 else { return }
        isBusyInside = true
        endedAtHead = bytes.readableBytesView.suffix(4).elementsEqual("\r\n\r\n".utf8)
        context.fireChannelRead(wrapInboundOut(bytes))
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if hasUnflushed {
            hasUnflushed = false
            context.flush()
        }
        context.fireChannelReadComplete()
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .all else {
            context.close(mode: mode, promise: promise)
            return
        }
        // Writes are done in order: once this one is, so are all answers before it.
        let loopBound = context.loopBound
        context.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { _ in
            loopBound.value.close(mode: mode, promise: promise)
        }
    }

    /// Everything that went in is answered.
    func insideIsIdle() {
        if endedAtHead { isBusyInside = false }
    }

    private func answer(_ bytes: inout ByteBuffer, _ context: ChannelHandlerContext) {
        let peer = peer ?? LanePeer(context.channel)
        self.peer = peer
        var out: ByteBuffer?
        while bytes.readableBytes > 0 {
            guard let request = bytes.withUnsafeReadableBytes({ PlainRequest($0) }) else { break }
            var written = out ?? context.channel.allocator.buffer(capacity: 1024)
            guard answers.answer(request, peer, into: &written) else { break }
            out = written
            bytes.moveReaderIndex(forwardBy: request.length)
        }
        guard let out else { return }
        lastAnswer = .now()
        hasUnflushed = true
        context.write(wrapOutboundOut(out), promise: nil)
    }
}

/// Tells the fast lane when everything that went further in is answered; stands where requests are requests.
///
/// Closes connections on which nothing happens, too: what passes by in the fast lane is seen nowhere further in.
final class LaneSignal: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let idleTimeout: TimeAmount
    private var lane: FastLaneHandler?
    private var inProgress = 0
    private var isBeingRead = false
    private var lastPart: NIODeadline = .now()
    private var watch: Scheduled<Void>?

    /// - Parameter idleTimeout: for so long a connection may wait between requests, and for the rest of one that has begun.
    init(idleTimeout: TimeAmount) {
        self.idleTimeout = idleTimeout
    }

    func handlerAdded(context: ChannelHandlerContext) {
        lane = try? context.pipeline.syncOperations.handler(type: FastLaneHandler.self)
        lastPart = .now()
        schedule(context, in: idleTimeout)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        watch?.cancel()
        lane = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        watch?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        lastPart = .now()
        switch unwrapInboundIn(data) {
        case .head:
            inProgress += 1
            isBeingRead = true
        case .body: break
        case .end: isBeingRead = false
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .end = unwrapOutboundIn(data) else {
            context.write(data, promise: promise)
            return
        }
        lastPart = .now()
        inProgress -= 1
        context.write(data, promise: promise)
        if inProgress == 0, !isBeingRead { lane?.insideIsIdle() }
    }

    private func schedule(_ context: ChannelHandlerContext, in time: TimeAmount) {
        watch = context.eventLoop.assumeIsolated().scheduleTask(in: time) { self.look(context) }
    }

    private func look(_ context: ChannelHandlerContext) {
        // A request is whole and its answer takes long: that is ours.
        if inProgress > 0, !isBeingRead {
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
