import FrontDoors
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// A handler that runs the responder for the requests of one connection, one after the other. Each request has its
/// own task, which starts on the event loop when its turn comes and ends with the response. The handler receives
/// requests from an ``IncomingRequestHandler``.
///
/// The connection's own task is informed only when no more requests can come, because informing it between a
/// request and its response would cost two thread changes.
final class RequestDispatchHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = IncomingRequest
    typealias InboundOut = Never
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart
    typealias Writer = NIOAsyncChannelOutboundWriter<HTTPResponsePart>

    /// The reason why no more requests can come.
    enum End {
        /// The client has closed its sending side, or has sent its last permitted request.
        case silence
        /// The input is unreadable, and no response has reported that.
        case unreadable
    }

    /// The maximum number of requests that wait for their turn. At this number, reading stops.
    private static let limit = 8

    /// The request whose turn it is.
    private enum Turn {
        case none
        /// The task is in its first part, which runs inside ``begin(_:_:_:)``.
        case starting
        case running(Task<Void, Never>)
    }

    private let responder: RequestResponder
    private var context: ChannelHandlerContext?
    private var connection: RequestConnection?
    private var executor: EventLoopTaskExecutor?
    private var outbound: Writer?
    private var completion: EventLoopPromise<End>?
    private var waiting = CircularBuffer<IncomingRequest>(initialCapacity: 1)
    private var turn = Turn.none
    /// The breakage of the most recent request that received a response.
    private var bodyFailure: IncomingRequest.BodyFailure?
    /// The end of the input; nil while more requests can come.
    private var inputEnd: Result<Void, any Error>?
    private var isReadPostponed = false

    init(_ responder: RequestResponder) {
        self.responder = responder
    }

    /// Responds to all present and future requests. Call this function once. The future completes when no more
    /// requests come, and fails with the error that broke the connection or a response.
    ///
    /// - Parameter loop: The event loop of the connection, on which this function is called.
    func dispatchAll(_ outbound: Writer, on loop: any EventLoop) -> EventLoopFuture<End> {
        let completion = loop.makePromise(of: End.self)
        self.completion = completion
        self.outbound = outbound
        proceed()
        return completion.futureResult
    }

    /// Drops the waiting requests and cancels the current one. Called on the event loop.
    func cancel() {
        cancelCurrent()
        waiting.removeAll()
        endInput(.success(()))
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    /// Ends the input, because a channel that is closed before it becomes active never receives `channelInactive`.
    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        cancelCurrent()
        waiting.removeAll()
        endInput(.success(()))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard inputEnd == nil else { return }
        waiting.append(unwrapInboundIn(data))
        proceed()
    }

    func read(context: ChannelHandlerContext) {
        isReadPostponed = waiting.count >= Self.limit
        if !isReadPostponed { context.read() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        endInput(.failure(error))
        context.fireErrorCaught(error)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { endInput(.success(())) }
        context.fireUserInboundEventTriggered(event)
    }

    /// Cancels the current request, because the client of a closed connection gets no response.
    func channelInactive(context: ChannelHandlerContext) {
        cancelCurrent()
        waiting.removeAll()
        endInput(.success(()))
        context.fireChannelInactive()
    }

    private func endInput(_ end: Result<Void, any Error>) {
        inputEnd = inputEnd ?? end
        proceed()
    }

    private func cancelCurrent() {
        if case .running(let task) = turn { task.cancel() }
    }

    private func proceed() {
        guard let outbound else { return }
        while case .none = turn, let context, let request = waiting.popFirst() {
            begin(request, outbound, context)
            if isReadPostponed { read(context: context) }
        }
        if case .none = turn, waiting.isEmpty, let inputEnd, let completion = completion.take() {
            conclude(completion, inputEnd)
        }
    }

    private func begin(_ request: IncomingRequest, _ outbound: Writer, _ context: ChannelHandlerContext) {
        turn = .starting
        let connection = connection ?? RequestConnection(context.channel)
        let executor = executor ?? EventLoopTaskExecutor(context.eventLoop)
        (self.connection, self.executor) = (connection, executor)
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        let task = Task.immediate(executorPreference: executor) { [responder] in
            var failure: (any Error)?
            do {
                let response = try await responder.respond(
                    to: Request(head: request.head, body: request.body), on: connection)
                do {
                    try await ResponseWriter(outbound: outbound).write(response: response.head, body: response.body)
                } catch is HTTPParserError {
                    // The response has begun, so that the unreadable rest of the request gets no response of its own.
                    failure = ChannelError.inputClosed
                }
            } catch {
                failure = error
            }
            handler.value.hasResponded(request, failure)
        }
        if case .starting = turn { turn = .running(task) }
    }

    private func hasResponded(_ request: IncomingRequest, _ failure: (any Error)?) {
        if let failure {
            waiting.removeAll()
            inputEnd = .failure(failure)
        } else {
            bodyFailure = request.bodyFailure
            if request.isLast {
                waiting.removeAll()
                inputEnd = .success(())
            }
        }
        let isFirstPart = if case .starting = turn { true } else { false }
        turn = .none
        // The caller of `begin` proceeds after the first part of the task.
        if !isFirstPart { proceed() }
    }

    /// Completes the promise with the end of the input. A request whose body was unreadable gets no second response
    /// if it already has one.
    private func conclude(_ completion: EventLoopPromise<End>, _ end: Result<Void, any Error>) {
        switch end {
        case .success: completion.succeed(.silence)
        case .failure(is HTTPParserError): completion.succeed(bodyFailure?.isKnown == true ? .silence : .unreadable)
        case .failure(let error): completion.fail(error)
        }
    }
}
