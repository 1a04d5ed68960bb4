import NIOCore
import NIOHTTP1

/// Ends an HTTP/1 connection after the last request that its client may send on it; stands right behind the request parser.
///
/// The last is one that says `close`, in whatever spelling and company, one of HTTP/1.0 that does not ask to go on (RFC 9112
/// sections 9.3 and 9.6), and one that asks for another protocol: that is not changed to (RFC 9110 section 7.8), but the parser
/// stops there, and would gather whatever follows without bound.
///
/// A response before the end of its request's body makes that request the last as well where the rest is not worth reading: the
/// body is too large, or there is no room for it, or the client was not told to send it (`Expect: 100-continue`), so that what
/// comes next may be the body or another request (RFC 9110 section 10.1.1).
///
/// Its answer says `close`; what comes behind it is read and dropped, so that the answer is not lost to a reset, and after a
/// few seconds the connection is closed.
final class LastRequestHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// For so long a client may take to read the answer and to close.
    private let patience: TimeAmount
    private let drain: DrainHandler
    /// One value for each request without a response, in order: true if the request is HTTP/1.0. Such a connection stays open
    /// only if the response says so (RFC 9112 section 9.3).
    private var unanswered = CircularBuffer<Bool>(initialCapacity: 2)
    /// Whether the body of the last request has not come to its end.
    private var isReading = false
    /// Whether the client waits for 100 before it sends that body.
    private var awaitsContinue = false
    private var isLast = false
    private var closing: Scheduled<Void>?

    /// - Parameter drain: stands before the parser.
    init(_ drain: DrainHandler, patience: TimeAmount = .seconds(5)) {
        self.drain = drain
        self.patience = patience
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !drain.isOpen else { return }
        switch unwrapInboundIn(data) {
        case .head(var head):
            let isOld = head.version.major < 1 || head.version == .http1_0
            unanswered.append(isOld)
            isLast = Self.isLast(head)
            isReading = true
            // HTTP/1.0 knows no interim responses (RFC 9110 section 10.1.1).
            if isOld { head.headers.remove(name: "Expect") }
            awaitsContinue = head.headers.first(name: "Expect")?.lowercased() == "100-continue"
            // In the one spelling that everything further in understands.
            if isLast { head.headers.replaceOrAdd(name: "Connection", value: "close") }
            context.fireChannelRead(wrapInboundOut(.head(head)))
        case .body:
            awaitsContinue = false
            context.fireChannelRead(data)
        case .end:
            isReading = false
            awaitsContinue = false
            if isLast { drain.isOpen = true }
            context.fireChannelRead(data)
        }
    }

    /// What the parser says of the bytes behind the last request is no error of the client's.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if !drain.isOpen { context.fireErrorCaught(error) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = unwrapOutboundIn(data)
        let isOld = unanswered.first ?? false
        if case .head(let head) = part, unanswered.count == 1, leavesRest(head, isOld: isOld) { isLast = true }
        let isOfLast = isLast && unanswered.count == 1
        switch part {
        case .head(let head) where head.status.code < 200:
            awaitsContinue = false
            context.write(data, promise: promise)
        case .head(var head) where isOfLast || isOld:
            head.headers.replaceOrAdd(name: "Connection", value: isOfLast ? "close" : "keep-alive")
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end:
            // What could not be read as a request has a response, too.
            _ = unanswered.popFirst()
            let sent = promise ?? context.eventLoop.makePromise()
            if isOfLast { close(context, after: sent.futureResult) }
            context.write(data, promise: sent)
            guard isOfLast else { return }
            // Nobody further in reads any more.
            drain.isOpen = true
            context.read()
        case .head, .body:
            context.write(data, promise: promise)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        closing?.cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        closing?.cancel()
    }

    /// Whether nothing that follows the response's request is read.
    private func leavesRest(_ head: HTTPResponseHead, isOld: Bool) -> Bool {
        guard head.status.code >= 200 else { return false }
        let refusals: [HTTPResponseStatus] = [.payloadTooLarge, .serviceUnavailable]
        if isReading, awaitsContinue || refusals.contains(head.status) { return true }
        // Without a length it ends where the connection does.
        return isOld && !head.headers.contains(name: "Content-Length") && ![204, 304].contains(head.status.code)
    }

    /// From when all is sent: a long answer may take long.
    private func close(_ context: ChannelHandlerContext, after sent: EventLoopFuture<Void>) {
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        sent.whenComplete { [patience] _ in
            let (handler, context) = loopBound.value
            handler.closing = context.eventLoop.assumeIsolated().scheduleTask(in: patience) {
                context.close(promise: nil)
            }
        }
    }

    private static func isLast(_ head: HTTPRequestHead) -> Bool {
        !head.isKeepAlive || head.method == .CONNECT
            || head.headers.contains(name: "Upgrade")
                // The parser reads both, and what is a word to it need be none to anybody else: here it is wherever it stands.
                && ["Connection", "Proxy-Connection"].contains { head.headers[$0].contains(where: asksForUpgrade) }
    }

    private static func asksForUpgrade(_ value: String) -> Bool {
        let (value, word) = (value.utf8.map { $0 | 0x20 }, Array("upgrade".utf8))
        return value.indices.contains { value[$0...].starts(with: word) }
    }
}

/// Drops what comes behind the last request before anything gathers it; stands right before the parser.
final class DrainHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    fileprivate(set) var isOpen = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !isOpen { context.fireChannelRead(data) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        if isOpen { context.read() }
    }
}
