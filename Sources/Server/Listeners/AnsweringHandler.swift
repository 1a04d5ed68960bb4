import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Has the requests of one connection answered one after the other, each in a task that begins as soon as it is its turn and ends
/// with it; stands where requests are whole (``RequestArrivalHandler``).
///
/// The connection's own task hears of it only when no more can come: between a request and its answer it would cost two changes of
/// threads.
final class AnsweringHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ArrivedRequest
    typealias InboundOut = Never
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart
    typealias Writer = NIOAsyncChannelOutboundWriter<HTTPResponsePart>

    /// Why no more requests can come.
    enum End {
        /// The client has said all it will, or the last it may.
        case silence
        /// What came can not be read, and no answer said so.
        case unreadable
    }

    /// So many may wait for their turn; then no more is read.
    private static let most = 8

    private let responder: HTTPChannelHandler.Responder
    private let isLight: @Sendable (HTTPRequest) -> Bool
    private var context: ChannelHandlerContext?
    private var outbound: Writer?
    private var over: EventLoopPromise<End>?
    private var waiting = CircularBuffer<ArrivedRequest>(initialCapacity: 1)
    private var current: Task<Void, Never>?
    /// Of the request that was last answered.
    private var breakage: ArrivedRequest.Breakage?
    /// Nil while more can come.
    private var inputEnd: Result<Void, any Error>?
    private var isReadPostponed = false

    /// - Parameter isLight: see ``LeanHTTP1Channel``.
    init(_ responder: @escaping HTTPChannelHandler.Responder, isLight: @escaping @Sendable (HTTPRequest) -> Bool) {
        self.responder = responder
        self.isLight = isLight
    }

    /// Answers what has come and comes, once. Done when that is over; fails with what broke the connection, or an answer.
    ///
    /// - Parameter loop: the connection's, whose thread this is.
    func answerAll(_ outbound: Writer, on loop: any EventLoop) -> EventLoopFuture<End> {
        let over = loop.makePromise(of: End.self)
        self.over = over
        self.outbound = outbound
        goOn()
        return over.futureResult
    }

    /// Answers nothing that waits, and has what is being answered come to an end. On the event loop.
    func cancel() {
        current?.cancel()
        waiting.removeAll()
        endInput(.success(()))
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    /// A channel that is closed before it became active is never said to be inactive.
    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        current?.cancel()
        waiting.removeAll()
        endInput(.success(()))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard inputEnd == nil else { return }
        waiting.append(unwrapInboundIn(data))
        goOn()
    }

    func read(context: ChannelHandlerContext) {
        isReadPostponed = waiting.count >= Self.most
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

    /// The client of a connection that is closed, or of a stream that is reset, gets no response: what is under way for it ends.
    func channelInactive(context: ChannelHandlerContext) {
        current?.cancel()
        waiting.removeAll()
        endInput(.success(()))
        context.fireChannelInactive()
    }

    private func endInput(_ end: Result<Void, any Error>) {
        inputEnd = inputEnd ?? end
        goOn()
    }

    private func goOn() {
        guard let outbound, current == nil else { return }
        if let request = waiting.popFirst(), let context {
            begin(request, outbound, context)
            if isReadPostponed { read(context: context) }
        } else if let inputEnd, let over = over.take() {
            conclude(over, inputEnd)
        }
    }

    private func begin(_ request: ArrivedRequest, _ outbound: Writer, _ context: ChannelHandlerContext) {
        let (loop, channel) = (context.eventLoop, context.channel)
        let handler = NIOLoopBound(self, eventLoop: loop)
        let executor = isLight(request.head) ? EventLoopTaskExecutor(loop) : globalConcurrentExecutor
        current = Task(executorPreference: executor) { [responder] in
            var failure: (any Error)?
            do {
                try await responder(
                    Request(head: request.head, body: request.body), ResponseWriter(outbound: outbound), channel)
            } catch {
                failure = error
            }
            // Behind what it wrote, whatever thread it ran on.
            loop.execute { [failure] in handler.value.hasAnswered(request, failure) }
        }
    }

    private func hasAnswered(_ request: ArrivedRequest, _ failure: (any Error)?) {
        current = nil
        if let failure {
            waiting.removeAll()
            inputEnd = .failure(failure)
        } else {
            breakage = request.breakage
            if request.isLast {
                waiting.removeAll()
                inputEnd = .success(())
            }
        }
        goOn()
    }

    /// A request whose body could not be read to its end, and that is answered, gets no second answer.
    private func conclude(_ over: EventLoopPromise<End>, _ end: Result<Void, any Error>) {
        switch end {
        case .success: over.succeed(.silence)
        case .failure(is HTTPParserError): over.succeed(breakage?.isKnown == true ? .silence : .unreadable)
        case .failure(let error): over.fail(error)
        }
    }
}
