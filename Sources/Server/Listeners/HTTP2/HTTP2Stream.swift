import FrontDoors
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHPACK
import NIOHTTP2

/// A request and its response on one stream of an HTTP/2 connection. All functions are called on the event loop.
final class HTTP2Stream {
    /// The number of unsent body bytes at which a response waits for the client.
    private static let maxUnsent = 64 << 10

    let id: HTTP2StreamID
    private let connection: HTTP2ConnectionHandler
    private let loop: any EventLoop
    private var request: HTTP2IncomingRequest
    private var response = HTTP2OutgoingResponse()
    private var limits: HTTP2StreamLimits
    /// The task of the response; nil before it starts, in its first part, and after its end.
    private var task: Task<Void, Never>?
    private var hasTaskEnded = false
    private var isClosed = false
    private var unsent = 0
    private var sent = 0
    private var lastWrite: EventLoopFuture<Void>?
    /// The number of body bytes that the client accepts.
    private var outboundWindow: Int?
    /// A Boolean value that indicates whether the server has reset the stream. The frame may wait for the client.
    var isReset = false
    /// A Boolean value that indicates whether the connection looks at the stream at the end of the read.
    var isListed = false

    init(
        _ id: HTTP2StreamID, _ request: HTTP2IncomingRequest, of connection: HTTP2ConnectionHandler,
        on loop: any EventLoop, stallTimeout: TimeAmount
    ) {
        self.id = id
        self.request = request
        self.connection = connection
        self.loop = loop
        limits = HTTP2StreamLimits(stallTimeout: stallTimeout, now: loop.now)
    }

    // MARK: - Frames of the client

    func receive(_ bytes: ByteBuffer, isLast: Bool) {
        request.receive(bytes)
        if isLast { request.end() }
    }

    /// Ends the request after the fields behind its body.
    func receiveTrailers() { request.end() }

    func windowDidChange(inbound: Int?, outbound: Int?) {
        if let outbound {
            sent += max(0, (outboundWindow ?? outbound) - outbound)
            outboundWindow = outbound
        }
        if let inbound {
            request.windowDidChange(to: inbound)
            openWindow()
        }
    }

    private func openWindow() {
        guard !isClosed, let increment = request.takeWindowIncrement() else { return }
        connection.write(.windowUpdate(windowSizeIncrement: increment), on: id)
    }

    /// Cancels the task, because the client of a reset stream or a closed connection gets no response.
    func close() {
        isClosed = true
        task?.cancel()
        request.abandon()
    }

    // MARK: - The task

    var canBegin: Bool { !isClosed && request.canBegin }

    func begin(_ responder: RequestResponder, _ origin: RequestConnection, _ executor: EventLoopTaskExecutor) {
        let stream = NIOLoopBound(self, eventLoop: loop)
        let (request, receivedBody) = request.begin {
            if stream.eventLoop.inEventLoop {
                stream.value.consumerDidAsk()
            } else {
                stream.eventLoop.execute { stream.value.consumerDidAsk() }
            }
        }
        let started = Task.immediate(executorPreference: executor) {
            do {
                let response = try await responder.respond(
                    to: request, on: origin, receivedBody: receivedBody)
                try await response.body.write(stream.value.begin(response))
                stream.value.taskDidEnd()
            } catch {
                stream.value.taskDidEnd()
            }
        }
        if !hasTaskEnded { task = started }
    }

    private func consumerDidAsk() {
        guard !isClosed else { return }
        if request.takeContinue() {
            connection.write(.headers(.init(headers: [":status": "100"])), on: id)
        }
        openWindow()
    }

    private func taskDidEnd() {
        task = nil
        hasTaskEnded = true
        connection.taskDidEnd()
        guard !isClosed else { return }
        // A client cannot tell where a broken response ends.
        guard response.hasEnded else {
            connection.reset(self, .internalError)
            return
        }
        request.abandon()
        openWindow()
    }

    // MARK: - Frames of the server

    /// Sends the head of the response.
    ///
    /// - Throws: `CancellationError` if the stream is closed.
    private func begin(_ response: Response) throws -> HTTP2BodyWriter {
        if isClosed { throw CancellationError() }
        self.response.begin(response) { connection.write($0, on: id) }
        return HTTP2BodyWriter(stream: NIOLoopBound(self, eventLoop: loop))
    }

    /// Sends a part of the body.
    ///
    /// - Returns: A future that completes when the client has received enough; nil if the task need not wait.
    /// - Throws: `CancellationError` if the stream is closed.
    func write(_ part: ByteBuffer) throws -> EventLoopFuture<Void>? {
        if isClosed { throw CancellationError() }
        guard part.readableBytes > 0 else { return nil }
        let previous = lastWrite
        response.write(part) { send($0) }
        return unsent > Self.maxUnsent ? previous : nil
    }

    /// Ends the response.
    ///
    /// - Throws: `CancellationError` if the stream is closed.
    func finish(_ trailers: HTTPFields?) throws {
        if isClosed { throw CancellationError() }
        response.finish(trailers, canEndWithHead: connection.isWritable) { send($0) }
    }

    /// Sends a frame, and counts the bytes of a body until the client has received them.
    private func send(_ payload: HTTP2Frame.FramePayload) {
        guard case .data(let data) = payload, !data.endStream else {
            connection.write(payload, on: id)
            return
        }
        let count = data.data.readableBytes
        unsent += count
        let written = loop.makePromise(of: Void.self)
        lastWrite = written.futureResult
        let stream = NIOLoopBound(self, eventLoop: loop)
        written.futureResult.whenComplete { _ in stream.value.unsent -= count }
        connection.write(payload, on: id, written)
    }

    // MARK: - Limits

    /// Returns whether the stream has passed one of its time limits.
    func hasPassedLimit(at now: NIODeadline) -> Bool {
        // If the last frame had been sent too, the stream of a complete request would be closed.
        let hasUnsent = unsent > 0 || response.hasEnded && request.isComplete
        return limits.hasPassed(
            at: now,
            HTTP2StreamLimits.Progress(
                isRequestComplete: request.isComplete, hasUnread: request.hasUnread, hasUnsent: hasUnsent, sent: sent))
    }
}

/// A writer of the body of a response on a stream.
///
/// All functions are called on the event loop of the connection, because the task of a request runs there.
struct HTTP2BodyWriter: ResponseBodyWriter {
    let stream: NIOLoopBound<HTTP2Stream>

    mutating func write(_ buffer: ByteBuffer) async throws {
        if let received = try stream.value.write(buffer) { try await received.get() }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        try stream.value.finish(trailingHeaders)
    }
}
