import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTPTypes
import Synchronization

/// A request whose head has arrived, and whose body has arrived or is arriving.
final class IncomingRequest: Sendable {
    let head: HTTPRequest
    let body: RequestBody
    let bodyFailure: BodyFailure

    init(_ head: HTTPRequest, _ body: RequestBody, _ bodyFailure: BodyFailure = BodyFailure()) {
        self.head = head
        self.body = body
        self.bodyFailure = bodyFailure
    }

    /// A flag for an unreadable rest of a body. It is separate from the request, which is released as soon as its
    /// body is no longer needed.
    final class BodyFailure: Sendable {
        fileprivate let hasHappened = Atomic(false)

        var isKnown: Bool { hasHappened.load(ordering: .acquiring) }
    }

    /// A Boolean value that indicates whether the client wants no further response after this one.
    var isLast: Bool { head.headerFields[.connection] == "close" }
}

/// A handler that builds requests from their parts. The body of each request is a sequence that is read from the
/// connection only as fast as it is consumed, and skipped when its consumer is gone.
final class IncomingRequestHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = IncomingRequest
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private typealias Body = NIOThrowingAsyncSequenceProducer<
        ByteBuffer, any Error, NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark, Demand
    >

    /// The head of a request without body bytes so far, until its end follows.
    private var head: HTTPRequest?
    private var body: Body.Source?
    private var bodyFailure: IncomingRequest.BodyFailure?
    private var isBodyWanted = true
    /// The number of the request whose body is arriving.
    private var number = 0
    private var hasBodyBegun = false
    private var isReadPostponed = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head) where head.mayHaveBody: begin(head, context)
        case .head(let head): self.head = head
        case .body(let bytes):
            if let head = head.take() { begin(head, context) }
            hasBodyBegun = true
            if case .stopProducing? = body?.yield(bytes) { isBodyWanted = false }
        case .end:
            if let head = head.take() {
                context.fireChannelRead(wrapInboundOut(IncomingRequest(head, RequestBody(buffer: ByteBuffer()))))
            }
            finishBody(context)
        }
    }

    func read(context: ChannelHandlerContext) {
        if isBodyWanted {
            context.read()
        } else {
            isReadPostponed = true
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        bodyFailure?.hasHappened.store(true, ordering: .releasing)
        finishBody(context, error)
        context.fireErrorCaught(error)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { finishBody(context) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        finishBody(context)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        isReadPostponed = false
        finishBody(context)
    }

    private func begin(_ head: HTTPRequest, _ context: ChannelHandlerContext) {
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        // A body without a consumer buffers at most two reads. Source: Pitfall 24, “Buffered bytes without a total
        // limit”.
        let made = Body.makeSequence(
            backPressureStrategy: .init(lowWatermark: 1, highWatermark: 2), finishOnDeinit: false,
            delegate: Demand(loopBound))
        body = made.source
        number += 1
        hasBodyBegun = false
        let bodyFailure = IncomingRequest.BodyFailure()
        self.bodyFailure = bodyFailure
        context.fireChannelRead(
            wrapInboundOut(
                IncomingRequest(
                    head,
                    head.expectsContinue ? awaited(made.sequence, loopBound) : .init(asyncSequence: made.sequence),
                    bodyFailure)))
    }

    /// Returns a body that the client sends only after its consumer requests it.
    private func awaited(
        _ body: Body, _ loopBound: NIOLoopBound<(IncomingRequestHandler, ChannelHandlerContext)>
    ) -> RequestBody {
        RequestBody(
            asyncSequence: ExpectContinueBody(body: body) { [number] in
                loopBound.eventLoop.execute {
                    let (handler, context) = loopBound.value
                    handler.sendContinue(number, context)
                }
            })
    }

    /// Sends status 100 (RFC 9110 section 10.1.1), unless the body has already begun to arrive.
    private func sendContinue(_ request: Int, _ context: ChannelHandlerContext) {
        guard request == number, body != nil, !hasBodyBegun else { return }
        context.writeAndFlush(wrapOutboundOut(.head(.init(status: .continue))), promise: nil)
    }

    private func finishBody(_ context: ChannelHandlerContext, _ error: (any Error)? = nil) {
        bodyFailure = nil
        guard let body = body.take() else { return }
        if let error { body.finish(error) } else { body.finish() }
        proceed(context)
    }

    private func proceed(_ context: ChannelHandlerContext) {
        isBodyWanted = true
        guard isReadPostponed else { return }
        isReadPostponed = false
        context.read()
    }

    /// The delegate that signals the handler when the consumer needs more of the body, or no more of it. In the
    /// second case, the rest is skipped.
    private struct Demand: NIOAsyncSequenceProducerDelegate {
        private let handler: NIOLoopBound<(IncomingRequestHandler, ChannelHandlerContext)>

        init(_ handler: NIOLoopBound<(IncomingRequestHandler, ChannelHandlerContext)>) {
            self.handler = handler
        }

        func produceMore() { proceed() }
        func didTerminate() { proceed() }

        private func proceed() {
            handler.eventLoop.execute {
                let (handler, context) = self.handler.value
                handler.proceed(context)
            }
        }
    }
}

/// A body that the client sends only on request.
private struct ExpectContinueBody<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element == ByteBuffer {
    let body: Base
    /// A closure that requests the body from the client.
    let sendContinue: @Sendable () -> Void

    struct AsyncIterator: AsyncIteratorProtocol {
        var body: Base.AsyncIterator
        var sendContinue: (@Sendable () -> Void)?

        @concurrent
        mutating func next() async throws -> ByteBuffer? {
            sendContinue.take()?()
            return try await body.next()
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(body: body.makeAsyncIterator(), sendContinue: sendContinue)
    }
}

extension HTTPRequest {
    fileprivate var expectsContinue: Bool { headerFields[.expect]?.lowercased() == "100-continue" }

    /// A Boolean value that indicates whether parts of a body can follow. A response may not need to wait for them.
    fileprivate var mayHaveBody: Bool {
        headerFields[.contentLength] != nil || headerFields[.transferEncoding] != nil
    }
}
