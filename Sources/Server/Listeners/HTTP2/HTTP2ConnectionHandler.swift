import FrontDoors
import HTTPTypes
import NIOCore
import NIOHTTP2

/// A handler that serves the requests of one HTTP/2 connection. Its position is directly behind the handler that
/// decodes frames.
///
/// A request begins at the end of the read in which it arrived. Requests that are reset in the same read never begin,
/// and the responses that are complete at once leave in one record of TLS.
///
/// The frames of a stream are handled here and not in a channel of its own, because such a channel costs several times
/// as much as the response.
final class HTTP2ConnectionHandler: ChannelInboundHandler, NIOScheduledCallbackHandler, NIOHTTP2FrameDelegate {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    /// The time between two looks at the limits of open streams: 5 s.
    private static let checkInterval = TimeAmount.seconds(5)

    private let responder: RequestResponder
    private let idleTimeout: TimeAmount
    private let stallTimeout: TimeAmount
    private var state = HTTP2ConnectionState()
    private var window = HTTP2ReceiveWindow()
    private var streams: [HTTP2StreamID: HTTP2Stream] = [:]
    /// The streams that may begin at the end of the read.
    private var arrived: [HTTP2Stream] = []
    private var context: ChannelHandlerContext?
    private var origin: RequestConnection?
    private var executor: EventLoopTaskExecutor?
    private var isReading = false
    private var isFlushScheduled = false
    /// A Boolean value that indicates whether the decoder has ended the connection and is about to report why.
    private var hasConnectionError = false
    /// The time at which the client was warned that the server stops; nil before.
    private var warned: NIODeadline?
    /// The time since when the connection has no stream; nil while it has one.
    private var idleSince: NIODeadline?
    private var timer: NIOScheduledCallback?
    /// A Boolean value that indicates whether the timer is that of open streams.
    private var isChecking = false
    /// The number of tasks. The task of a reset stream counts until it has ended.
    private var tasks = 0
    private var allEnded: EventLoopPromise<Void>?

    /// - Parameters:
    ///   - idleTimeout: The maximum time that a connection may have no stream.
    ///   - stallTimeout: The maximum time in which the client of a stream receives nothing of a response.
    init(_ responder: RequestResponder, idleTimeout: TimeAmount, stallTimeout: TimeAmount) {
        self.responder = responder
        self.idleTimeout = idleTimeout
        self.stallTimeout = stallTimeout
    }

    /// Adds the handlers of a connection to the end of a channel's pipeline. Called on the event loop.
    func add(to channel: any Channel) throws {
        try channel.pipeline.syncOperations.addHandlers(
            FrameCollector(), NIOHTTP2Handler(mode: .server, frameDelegate: self), self)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        idleSince = context.eventLoop.now
        schedule(context, in: idleTimeout)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end()
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    /// Closes the connection, unless the error was of one stream (RFC 9113 section 5.4.2). The decoder has then reset that
    /// stream, or it was closed before a frame that waited for the client.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if hasConnectionError || !(error is any NIOHTTP2Error) { context.close(promise: nil) }
    }

    /// Notes the GOAWAY that the decoder sends before it reports a connection error. The type of the error does not tell
    /// a connection's error from a stream's.
    func wroteFrame(_ frame: HTTP2Frame) {
        if case .goAway(_, let code, _) = frame.payload, code != .noError { hasConnectionError = true }
    }

    private func end() {
        timer?.cancel()
        arrived.removeAll()
        let open = streams.values
        streams.removeAll()
        for stream in open { stream.close() }
    }

    /// Returns a future that completes when no task runs any more. Called on the event loop.
    func whenAllEnded(on loop: any EventLoop) -> EventLoopFuture<Void> {
        guard tasks > 0 else { return loop.makeSucceededVoidFuture() }
        let promise = allEnded ?? loop.makePromise()
        allEnded = promise
        return promise.futureResult
    }

    // MARK: - Frames of the client

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isReading = true
        let frame = unwrapInboundIn(data)
        switch frame.payload {
        case .headers(let headers):
            if let stream = streams[frame.streamID] {
                // Fields behind a body end the request (RFC 9113 section 8.1).
                guard headers.endStream else { return reset(stream, .protocolError) }
                stream.receiveTrailers()
                list(stream)
            } else {
                open(frame.streamID, headers, context)
            }
        case .data(let data):
            guard let stream = streams[frame.streamID], case .byteBuffer(let bytes) = data.data else { return }
            stream.receive(bytes, isLast: data.endStream)
            list(stream)
        case .ping(_, ack: true): perform(state.clientWasWarned())
        default: break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        let executor = executor ?? EventLoopTaskExecutor(context.eventLoop)
        let origin = origin ?? RequestConnection(context.channel)
        (self.executor, self.origin) = (executor, origin)
        let arrived = arrived
        self.arrived.removeAll()
        for stream in arrived {
            stream.isListed = false
            guard stream.canBegin else { continue }
            tasks += 1
            stream.begin(responder, origin, executor)
        }
        isReading = false
        context.flush()
        if !streams.isEmpty, !isChecking {
            isChecking = true
            schedule(context, in: Self.checkInterval)
        }
        context.fireChannelReadComplete()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let event as NIOHTTP2WindowUpdatedEvent: windowDidChange(event)
        case let event as StreamClosedEvent: close(event.streamID)
        case is NIOHTTP2StreamCreatedEvent: break
        case is ChannelShouldQuiesceEvent:
            perform(state.leave())
            context.fireUserInboundEventTriggered(event)
        default:
            if case .inputClosed? = event as? ChannelEvent { perform(state.inputClosed()) }
            context.fireUserInboundEventTriggered(event)
        }
    }

    private func open(
        _ id: HTTP2StreamID, _ headers: HTTP2Frame.FramePayload.Headers, _ context: ChannelHandlerContext
    ) {
        let action = state.streamOpened(id)
        if action == .reject { return write(.rstStream(.refusedStream), on: id) }
        perform(action)
        let head = HTTPRequest(fields: headers.headers)
        let request = HTTP2IncomingRequest(
            head ?? HTTPRequest(method: .get, scheme: nil, authority: nil, path: nil), isComplete: headers.endStream)
        let stream = HTTP2Stream(id, request, of: self, on: context.eventLoop, stallTimeout: stallTimeout)
        streams[id] = stream
        if head == nil { reset(stream, .protocolError) } else { list(stream) }
    }

    private func list(_ stream: HTTP2Stream) {
        guard !stream.isListed, stream.canBegin else { return }
        stream.isListed = true
        arrived.append(stream)
    }

    private func windowDidChange(_ event: NIOHTTP2WindowUpdatedEvent) {
        if event.streamID != .rootStream {
            streams[event.streamID]?.windowDidChange(
                inbound: event.inboundWindowSize, outbound: event.outboundWindowSize)
        } else if let size = event.inboundWindowSize {
            // The windows of the streams limit the bytes that wait. That of the connection is always open.
            window.didChange(to: size)
            if let increment = window.takeIncrement() {
                write(.windowUpdate(windowSizeIncrement: increment), on: .rootStream)
            }
        }
    }

    private func close(_ id: HTTP2StreamID) {
        guard let stream = streams.removeValue(forKey: id) else { return }
        stream.close()
        perform(state.streamClosed())
    }

    // MARK: - Frames of the server

    /// A Boolean value that indicates whether the client receives what was sent to it.
    var isWritable: Bool { context?.channel.isWritable ?? false }

    /// Sends a frame at the end of the read, or soon if nothing is being read.
    func write(
        _ payload: HTTP2Frame.FramePayload, on id: HTTP2StreamID, _ promise: EventLoopPromise<Void>? = nil
    ) {
        guard let context else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        context.write(wrapOutboundOut(HTTP2Frame(streamID: id, payload: payload)), promise: promise)
        if isReading || isFlushScheduled { return }
        isFlushScheduled = true
        context.eventLoop.assumeIsolated().execute {
            self.isFlushScheduled = false
            self.context?.flush()
        }
    }

    /// Ends a stream without a response, or without the rest of it.
    func reset(_ stream: HTTP2Stream, _ code: NIOHTTP2.HTTP2ErrorCode) {
        if stream.isReset { return }
        stream.isReset = true
        write(.rstStream(code), on: stream.id)
    }

    func taskDidEnd() {
        tasks -= 1
        guard tasks == 0 else { return }
        allEnded.take()?.succeed()
    }

    // MARK: - The connection

    private func perform(_ action: HTTP2ConnectionState.Action) {
        guard let context else { return }
        switch action {
        case .none, .reject: break
        case .startIdleTimer: idleSince = context.eventLoop.now
        case .cancelIdleTimer: idleSince = nil
        case .warn: warn(context)
        case .goAway(let last, let isClosing):
            writeGoAway(last, context)
            if isClosing { context.close(promise: nil) }
        case .close:
            // The last frame of the stream is about to be flushed.
            context.eventLoop.assumeIsolated().execute { self.context?.close(promise: nil) }
        }
    }

    private func warn(_ context: ChannelHandlerContext) {
        warned = context.eventLoop.now
        writeGoAway(.maxID, context)
        write(.ping(HTTP2PingData(), ack: false), on: .rootStream)
        context.flush()
    }

    /// Sends a GOAWAY without an error (RFC 9113 section 6.8).
    ///
    /// It does not pass SwiftNIO's handler, which would refuse new streams afterwards, take their other frames for errors
    /// of the connection, and let the frame wait for a slow client while it serves streams that the frame does not name.
    private func writeGoAway(_ last: HTTP2StreamID, _ context: ChannelHandlerContext) {
        let decoder = try? context.pipeline.syncOperations.context(handlerType: NIOHTTP2Handler.self)
        // The length, type 7, no flags and stream 0; then the last stream and no error.
        var frame = ByteBuffer(bytes: [0, 0, 8, 7, 0, 0, 0, 0, 0])
        frame.writeInteger(Int32(last))
        frame.writeInteger(Int32(0))
        // SwiftNIO's handler passes a flush on only after frames of its own.
        decoder?.writeAndFlush(NIOAny(IOData.byteBuffer(frame)), promise: nil)
    }

    func handleScheduledCallback(eventLoop: some EventLoop) {
        guard let context else { return }
        let now = eventLoop.now
        if let warned, now - warned >= Self.checkInterval { perform(state.clientWasWarned()) }
        for stream in Array(streams.values) where stream.hasPassedLimit(at: now) { reset(stream, .cancel) }
        isChecking = !streams.isEmpty || warned != nil
        if isChecking {
            schedule(context, in: Self.checkInterval)
        } else if let end = idleSince.map({ $0 + idleTimeout }), end <= now {
            perform(state.leave())
        } else {
            schedule(context, in: idleSince.map { $0 + idleTimeout - now } ?? idleTimeout)
        }
    }

    private func schedule(_ context: ChannelHandlerContext, in time: TimeAmount) {
        timer?.cancel()
        timer = try? context.eventLoop.assumeIsolated().scheduleCallback(in: time, handler: self)
    }
}
