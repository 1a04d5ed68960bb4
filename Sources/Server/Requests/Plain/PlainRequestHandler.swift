import FrontDoors
import HTTPTypes
import HummingbirdCore
import NIOCore

/// A handler that serves plain requests (``PlainRequest``) at the front of a connection, where requests and responses
/// are bytes. All other bytes pass through untouched.
///
/// The task of a request starts on the event loop, and runs there until its response waits for something. If every
/// fact is in memory, the response is complete when the start returns. Plain requests therefore need none of the dozen
/// handlers that parse, time and order the others.
///
/// One request at a time is served, here or inside. Bytes that follow a plain request wait for its response. The first
/// request that is not plain passes to the inner handlers, and so does everything after it, until the inner handlers
/// have responded to everything that they received (``IdleConnectionHandler``) and cannot hold part of another request.
/// Responses therefore never overtake each other.
final class PlainRequestHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum State {
        /// No request waits for its response.
        case idle
        /// A task responds to a plain request.
        case responding
        /// The inner handlers received bytes and have not yet responded to all of them.
        case passing
        /// The connection is about to end. All bytes pass inside.
        case ended
    }

    /// The number of response bytes that are collected before they are sent.
    private static let maxUnsent = 64 << 10
    /// The size from which a part of a body is sent as it is, because a copy costs more than one more buffer.
    private static let maxCopied = 8 << 10

    private let responder: RequestResponder
    private var state = State.idle
    private var context: ChannelHandlerContext?
    private var connection: RequestConnection?
    private var executor: EventLoopTaskExecutor?
    /// The task of the request in progress; nil while the task has not waited for anything yet.
    private var task: Task<Void, Never>?
    /// The bytes behind the request in progress.
    private var waiting: ByteBuffer?
    private var unsent: ByteBuffer?
    /// The number of bytes that were written and not flushed.
    private var unflushed = 0
    private var flusher: ResponseFlusher?
    /// A Boolean value that indicates whether the last bytes that passed inside ended a request head. The inner
    /// parser then holds no part of another request.
    private var endedAtHead = false
    /// A Boolean value that indicates whether bytes passed inside without a read-complete event after them.
    private var hasPassed = false
    private var isReadPostponed = false
    private var hasInputClosed = false
    private var closesWhenIdle = false
    /// The time of the last response.
    private(set) var lastResponse: NIODeadline = .now()

    init(_ responder: RequestResponder) {
        self.responder = responder
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        task?.cancel()
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        task?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        switch state {
        case .idle: serve(bytes, context)
        case .responding: hold(bytes)
        case .passing, .ended: pass(bytes, context)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if hasUnsent {
            let flusher = flusher ?? ResponseFlusher.shared(on: context.eventLoop)
            self.flusher = flusher
            flusher.add(self)
        }
        // Plain requests cause no event for the inner handlers.
        if hasPassed {
            hasPassed = false
            context.fireChannelReadComplete()
        }
    }

    /// Reads no more while a request is in progress and bytes of the next one are here already.
    func read(context: ChannelHandlerContext) {
        isReadPostponed = waiting != nil
        if !isReadPostponed { context.read() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent, state == .responding {
            // The inner handlers end the connection, but not before the response.
            hasInputClosed = true
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    /// Sends what is collected before the bytes of an inner handler, such as the contents of a file.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        passOn(context)
        context.write(data, promise: promise)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if state != .responding { state = .ended }
        // A client that has closed its sending side still receives the remaining responses.
        guard mode != .input else {
            context.close(mode: mode, promise: promise)
            return
        }
        task?.cancel()
        // Writes complete in order. When this write completes, all earlier responses are written.
        let loopBound = context.loopBound
        context.writeAndFlush(wrapOutboundOut(unsent.take() ?? ByteBuffer())).whenComplete { _ in
            loopBound.value.close(mode: mode, promise: promise)
        }
    }

    // MARK: - The inner handlers

    /// A Boolean value that indicates whether a task responds to a plain request.
    var isResponding: Bool { state == .responding }

    /// A Boolean value that indicates whether no request waits for its response or its remaining bytes.
    var isIdle: Bool { state == .idle }

    /// Passes all further bytes to the inner handlers.
    func stop() {
        if state != .responding { state = .ended }
    }

    /// Closes the connection after the response in progress.
    func closeWhenIdle() { closesWhenIdle = true }

    /// Records that the inner parser has found another request. It may do so behind a request that already has its
    /// response, in the same bytes.
    func pipelineDidReceiveHead() {
        if state == .idle { state = .passing }
    }

    /// Records that the inner handlers have responded to everything they received.
    func pipelineDidBecomeIdle() {
        if state == .passing, endedAtHead { state = .idle }
    }

    // MARK: - Requests

    private func serve(_ received: ByteBuffer, _ context: ChannelHandlerContext) {
        var bytes = received
        // A client that does not read its responses gets no more of them from here. The inner handlers know when to
        // stop reading.
        while state == .idle, bytes.readableBytes > 0, context.channel.isWritable,
            unsentBytes < Self.maxUnsent,
            let request = bytes.withUnsafeReadableBytes({ PlainRequest($0) })
        {
            let body =
                bytes.getSlice(at: bytes.readerIndex + request.body.lowerBound, length: request.body.count)
                ?? ByteBuffer()
            bytes.moveReaderIndex(forwardBy: request.length)
            begin(request.head, body, context)
        }
        guard bytes.readableBytes > 0 else { return }
        if state == .responding { hold(bytes) } else { pass(bytes, context) }
    }

    private func begin(_ head: HTTPRequest, _ body: ByteBuffer, _ context: ChannelHandlerContext) {
        state = .responding
        let connection = connection ?? RequestConnection(context.channel)
        let executor = executor ?? EventLoopTaskExecutor(context.eventLoop)
        (self.connection, self.executor) = (connection, executor)
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        let started = Task.immediate(executorPreference: executor) { [responder] in
            do {
                let id = responder.identify(head, on: connection)
                let response = try await responder.routed(
                    Request(head: head, body: RequestBody(buffer: body)), id, on: connection, receivedBody: body)
                let isChunked = handler.value.write(headOf: response, id)
                try await response.body.write(PlainBodyWriter(handler: handler, isChunked: isChunked))
                handler.value.hasResponded()
            } catch {
                handler.value.hasFailed()
            }
        }
        if state == .responding { task = started }
    }

    private func hold(_ bytes: ByteBuffer) {
        if waiting == nil {
            waiting = bytes
        } else {
            waiting?.writeImmutableBuffer(bytes)
        }
    }

    private func pass(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        if state == .idle { state = .passing }
        hasPassed = true
        endedAtHead = bytes.readableBytesView.suffix(4).elementsEqual("\r\n\r\n".utf8)
        flush(context)
        context.fireChannelRead(wrapInboundOut(bytes))
    }

    // MARK: - Responses

    /// Collects the head of a response.
    ///
    /// - Returns: A Boolean value that indicates whether the body follows in chunks.
    private func write(headOf response: Response, _ id: RequestID) -> Bool {
        let isChunked = !response.status.hasNoBody && !response.headers.contains(.contentLength)
        if unsent == nil {
            unsent = ByteBufferAllocator().buffer(
                capacity: 768 + (response.body.contentLength.map { $0 < Self.maxCopied ? $0 : 0 } ?? 0))
        }
        unsent?.write(headOf: response, id, isChunked: isChunked)
        return isChunked
    }

    /// Collects a part of a body, and sends what is collected if it is much.
    ///
    /// - Returns: A future that completes when the connection has accepted the bytes; nil if the task need not wait.
    func write(_ buffer: ByteBuffer, isChunked: Bool) -> EventLoopFuture<Void>? {
        guard let context else { return nil }
        if isChunked {
            append { $0.write(chunk: buffer) }
        } else if buffer.readableBytes < Self.maxCopied {
            append { $0.writeImmutableBuffer(buffer) }
        } else {
            passOn(context)
            unflushed += buffer.readableBytes
            context.write(wrapOutboundOut(buffer), promise: nil)
        }
        guard unsentBytes >= Self.maxUnsent else { return nil }
        unflushed = 0
        return context.writeAndFlush(wrapOutboundOut(unsent.take() ?? ByteBuffer()))
    }

    func writeLastChunk() {
        append { $0.writeStaticString("0\r\n\r\n") }
    }

    private func append(_ write: (inout ByteBuffer) -> Void) {
        var bytes = unsent.take() ?? ByteBuffer()
        write(&bytes)
        unsent = bytes
    }

    /// Sends what is collected.
    func flush() {
        if let context { flush(context) }
    }

    private func flush(_ context: ChannelHandlerContext) {
        guard hasUnsent else { return }
        passOn(context)
        unflushed = 0
        context.flush()
    }

    private var hasUnsent: Bool { unsent != nil || unflushed > 0 }
    private var unsentBytes: Int { (unsent?.readableBytes ?? 0) + unflushed }

    /// Writes what is collected without a flush.
    private func passOn(_ context: ChannelHandlerContext) {
        guard let bytes = unsent.take() else { return }
        unflushed += bytes.readableBytes
        context.write(wrapOutboundOut(bytes), promise: nil)
    }

    private func hasResponded() {
        lastResponse = .now()
        state = .idle
        // A response that is complete before its task has waited is sent with others, at the end of the read.
        guard task.take() != nil, let context else { return }
        if closesWhenIdle {
            context.channel.close(promise: nil)
            return
        }
        flush(context)
        if let bytes = waiting.take() { serve(bytes, context) }
        flush(context)
        guard state != .responding else { return }
        if hasPassed { channelReadComplete(context: context) }
        if hasInputClosed {
            hasInputClosed = false
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
        if isReadPostponed { read(context: context) }
    }

    /// Closes the connection, because the client cannot tell where a broken response ends.
    private func hasFailed() {
        state = .ended
        task = nil
        waiting = nil
        unsent = nil
        context?.close(promise: nil)
    }
}
