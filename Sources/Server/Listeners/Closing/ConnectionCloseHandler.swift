import NIOCore
import NIOHTTP1

/// A handler that ends an HTTP/1 connection after the last request that its client may send on it. Its position is
/// directly behind the request parser.
///
/// The last request is one of the following:
///
/// - A request with the connection option `close`, in any spelling and next to any other options.
/// - An HTTP/1.0 request that does not ask for a persistent connection (RFC 9112 sections 9.3 and 9.6).
/// - A request for another protocol. The server does not change the protocol (RFC 9110 section 7.8), but the parser
///   stops there and would buffer all following bytes without limit.
///
/// A response before the end of the request's body also makes that request the last if the rest is not read: the
/// body is too large, the body memory is exhausted, or the client still waits for permission to send the body
/// (`Expect: 100-continue`). In the last case, the next bytes may be the body or another request (RFC 9110 section
/// 10.1.1).
///
/// The response to the last request has the option `close`. Later bytes are read and dropped, so that the response
/// is not lost to a reset. The connection is closed after a few seconds.
final class ConnectionCloseHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// The time that a client has to read the response and to close. Default: 5 s.
    private let closeTimeout: TimeAmount
    private let drain: DrainHandler
    /// One value for each request without a response, in order: true if the request is HTTP/1.0. Such a connection
    /// stays open only if the response has the option `save-alive` (RFC 9112 section 9.3).
    private var unanswered = CircularBuffer<Bool>(initialCapacity: 2)
    /// A Boolean value that indicates whether the end of the most recent request's body has not yet arrived.
    private var isReading = false
    /// A Boolean value that indicates whether the client waits for status 100 before it sends that body.
    private var awaitsContinue = false
    private var isLast = false
    private var closing: Scheduled<Void>?

    /// - Parameter drain: The handler before the parser.
    init(_ drain: DrainHandler, closeTimeout: TimeAmount = .seconds(5)) {
        self.drain = drain
        self.closeTimeout = closeTimeout
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !drain.isOpen else { return }
        switch unwrapInboundIn(data) {
        case .head(var head):
            let isOld = head.version.major < 1 || head.version == .http1_0
            unanswered.append(isOld)
            isLast = Self.isLast(head)
            isReading = true
            // HTTP/1.0 has no interim responses (RFC 9110 section 10.1.1).
            if isOld { head.headers.remove(name: "Expect") }
            awaitsContinue = head.headers.first(name: "Expect")?.lowercased() == "100-continue"
            // The spelling that all inner handlers understand.
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

    /// Drops parser errors after the last request, because the bytes behind that request are no error of the
    /// client.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if !drain.isOpen { context.fireErrorCaught(error) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = unwrapOutboundIn(data)
        let isOld = unanswered.first ?? false
        if case .head(let head) = part, unanswered.count == 1, leavesUnreadInput(head, isOld: isOld) { isLast = true }
        let isFinalResponse = isLast && unanswered.count == 1
        switch part {
        case .head(let head) where head.status.code < 200:
            awaitsContinue = false
            context.write(data, promise: promise)
        case .head(var head) where isFinalResponse || isOld:
            head.headers.replaceOrAdd(name: "Connection", value: isFinalResponse ? "close" : "keep-alive")
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end:
            // Input that is unreadable as a request also has a response.
            _ = unanswered.popFirst()
            let sent = promise ?? context.eventLoop.makePromise()
            if isFinalResponse { close(context, after: sent.futureResult) }
            context.write(data, promise: sent)
            guard isFinalResponse else { return }
            // The inner handlers no longer read.
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

    /// Returns a Boolean value that indicates whether the bytes that follow the response's request are not read.
    private func leavesUnreadInput(_ head: HTTPResponseHead, isOld: Bool) -> Bool {
        guard head.status.code >= 200 else { return false }
        let rejections: [HTTPResponseStatus] = [.payloadTooLarge, .serviceUnavailable]
        if isReading, awaitsContinue || rejections.contains(head.status) { return true }
        // Without a length, the response ends where the connection ends.
        return isOld && !head.headers.contains(name: "Content-Length") && ![204, 304].contains(head.status.code)
    }

    /// Schedules the close, counted from the time at which everything is sent, because a long response may take
    /// long.
    private func close(_ context: ChannelHandlerContext, after sent: EventLoopFuture<Void>) {
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        sent.whenComplete { [closeTimeout] _ in
            let (handler, context) = loopBound.value
            handler.closing = context.eventLoop.assumeIsolated().scheduleTask(in: closeTimeout) {
                context.close(promise: nil)
            }
        }
    }

    private static func isLast(_ head: HTTPRequestHead) -> Bool {
        !head.isKeepAlive || head.method == .CONNECT
            || head.headers.contains(name: "Upgrade")
                // The parser reads both headers, and it detects the option in places where other parsers do not.
                // Therefore any occurrence counts.
                && ["Connection", "Proxy-Connection"].contains { head.headers[$0].contains(where: requestsUpgrade) }
    }

    private static func requestsUpgrade(_ value: String) -> Bool {
        let (value, word) = (value.utf8.map { $0 | 0x20 }, Array("upgrade".utf8))
        return value.indices.contains { value[$0...].starts(with: word) }
    }
}

/// A handler that drops the bytes behind the last request before they are buffered. Its position is directly before
/// the parser.
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
