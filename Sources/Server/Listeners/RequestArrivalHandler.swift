import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTPTypes
import Synchronization

/// A request whose head is here, and whose body is or comes.
final class ArrivedRequest: Sendable {
    let head: HTTPRequest
    let body: RequestBody
    let breakage: Breakage

    init(_ head: HTTPRequest, _ body: RequestBody, _ breakage: Breakage = Breakage()) {
        self.head = head
        self.body = body
        self.breakage = breakage
    }

    /// That the rest of a body can not be read. Apart from the request, which is to go as soon as nobody wants its body.
    final class Breakage: Sendable {
        fileprivate let hasHappened = Atomic(false)

        var isKnown: Bool { hasHappened.load(ordering: .acquiring) }
    }

    /// Whether the client wants no answer after this one's.
    var isLast: Bool { head.headerFields[.connection] == "close" }
}

/// Makes requests of their parts: of each, the body is a sequence that is read from the connection only as fast as somebody takes
/// it, and passed over once nobody does.
final class RequestArrivalHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = ArrivedRequest
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private typealias Body = NIOThrowingAsyncSequenceProducer<
        ByteBuffer, any Error, NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark, Demand
    >

    /// What came of a request without a body, until its end follows.
    private var head: HTTPRequest?
    private var body: Body.Source?
    private var breakage: ArrivedRequest.Breakage?
    private var isBodyWanted = true
    /// Of the request whose body comes.
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
                context.fireChannelRead(wrapInboundOut(ArrivedRequest(head, RequestBody(buffer: ByteBuffer()))))
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
        breakage?.hasHappened.store(true, ordering: .releasing)
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
        // A body that nobody takes yet holds two reads at most (PITFALLS row 24).
        let made = Body.makeSequence(
            backPressureStrategy: .init(lowWatermark: 1, highWatermark: 2), finishOnDeinit: false,
            delegate: Demand(loopBound))
        body = made.source
        number += 1
        hasBodyBegun = false
        let breakage = ArrivedRequest.Breakage()
        self.breakage = breakage
        context.fireChannelRead(
            wrapInboundOut(
                ArrivedRequest(
                    head,
                    head.expectsContinue ? awaited(made.sequence, loopBound) : .init(asyncSequence: made.sequence),
                    breakage)))
    }

    /// A body that the client sends once somebody wants it.
    private func awaited(
        _ body: Body, _ loopBound: NIOLoopBound<(RequestArrivalHandler, ChannelHandlerContext)>
    ) -> RequestBody {
        RequestBody(
            asyncSequence: AwaitedBody(body: body) { [number] in
                loopBound.eventLoop.execute {
                    let (handler, context) = loopBound.value
                    handler.invite(number, context)
                }
            })
    }

    /// Sends 100 (RFC 9110 section 10.1.1), unless the body comes anyhow.
    private func invite(_ request: Int, _ context: ChannelHandlerContext) {
        guard request == number, body != nil, !hasBodyBegun else { return }
        context.writeAndFlush(wrapOutboundOut(.head(.init(status: .continue))), promise: nil)
    }

    private func finishBody(_ context: ChannelHandlerContext, _ error: (any Error)? = nil) {
        breakage = nil
        guard let body = body.take() else { return }
        if let error { body.finish(error) } else { body.finish() }
        goOn(context)
    }

    private func goOn(_ context: ChannelHandlerContext) {
        isBodyWanted = true
        guard isReadPostponed else { return }
        isReadPostponed = false
        context.read()
    }

    /// Tells the handler that more of the body is wanted, or none of it any more: then the rest is passed over.
    private struct Demand: NIOAsyncSequenceProducerDelegate {
        private let handler: NIOLoopBound<(RequestArrivalHandler, ChannelHandlerContext)>

        init(_ handler: NIOLoopBound<(RequestArrivalHandler, ChannelHandlerContext)>) {
            self.handler = handler
        }

        func produceMore() { goOn() }
        func didTerminate() { goOn() }

        private func goOn() {
            handler.eventLoop.execute {
                let (handler, context) = self.handler.value
                handler.goOn(context)
            }
        }
    }
}

/// A body for which the client waits to be asked.
private struct AwaitedBody<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable where Base.Element == ByteBuffer {
    let body: Base
    /// Asks for it.
    let invite: @Sendable () -> Void

    struct AsyncIterator: AsyncIteratorProtocol {
        var body: Base.AsyncIterator
        var invite: (@Sendable () -> Void)?

        mutating func next() async throws -> ByteBuffer? {
            invite.take()?()
            return try await body.next()
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: body.makeAsyncIterator(), invite: invite) }
}

extension HTTPRequest {
    fileprivate var expectsContinue: Bool { headerFields[.expect]?.lowercased() == "100-continue" }

    /// Whether parts of a body can follow, for which an answer may not want to wait.
    fileprivate var mayHaveBody: Bool {
        headerFields[.contentLength] != nil || headerFields[.transferEncoding] != nil
    }
}
