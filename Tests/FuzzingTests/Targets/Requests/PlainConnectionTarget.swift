import FrontDoors
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Primitives

@testable import Server

extension FuzzTarget {
    /// Protection against a wrong order: a connection that serves plain requests itself, and one on which all requests pass
    /// NIO's parser, send a client the same responses in the same order.
    ///
    /// The first line controls the rest: each of its bytes determines the size of the next chunk and the number of
    /// response halves that the inner handlers send before it. A plain request waits once for each letter `w` at the
    /// start of its path. The inner handlers respond at once to a path that begins with `s`.
    static let plainConnection = FuzzTarget(
        "plain-connection", upTo: 1024, of: "PlainRequestHandler", "IdleConnectionHandler", "ResponseHead"
    ) { bytes in
        let (plain, parsed) = (exchange(bytes, servesPlain: true), exchange(bytes, servesPlain: false))
        promise(
            plain.lines == parsed.lines,
            """
            the responses to plain requests differ, or have another order: \(plain.lines)
            instead of \(parsed.lines)
            for \(text(bytes).debugDescription)
            """)
        promise(plain.isOpen == parsed.isOpen, "a connection that serves plain requests ends at another request")
        promise(plain.requests <= parsed.requests, "a connection that serves plain requests adds requests")
    }

    /// Returns the number of requests that pass NIO's parser and the number of all requests.
    static func passed(_ bytes: [UInt8]) -> (inside: Int, all: Int) {
        (exchange(bytes, servesPlain: true).requests, exchange(bytes, servesPlain: false).requests)
    }

    /// The result of a client's data.
    private struct Exchange {
        /// The lines of all responses without their dates and request ids.
        let lines: [Substring]
        let isOpen: Bool
        /// The number of requests that reached the inner handlers.
        let requests: Int
    }

    private static func exchange(_ bytes: [UInt8], servesPlain: Bool) -> Exchange {
        let (channel, fake) = connected(servesPlain: servesPlain)
        let cuts = bytes.prefix { $0 != 0x0A }
        var rest = bytes.dropFirst(cuts.count + 1)
        for cut in cuts.prefix(24) {
            let piece = rest.prefix(1 + 2 * Int(cut % 32))
            rest = rest.dropFirst(piece.count)
            receive(piece, channel)
            // 0 for digits, 1 for capital letters, 2 for small letters.
            for _ in 0..<(cut / 32 + 3) % 4 { proceed(channel, fake) }
        }
        receive(rest, channel)
        while proceed(channel, fake) {}
        var sent: [UInt8] = []
        while let part = try? channel.readOutbound(as: ByteBuffer.self) { sent += part.readableBytesView }
        let lines = text(sent).split(separator: "\r\n", omittingEmptySubsequences: false)
        let exchange = Exchange(
            lines: lines.filter { !$0.hasPrefix("Date: ") && !$0.hasPrefix("X-Request-Id: ") },
            isOpen: channel.isActive, requests: fake.requests)
        channel.close(promise: nil)
        // Otherwise the next line would wait forever.
        promise(!channel.isActive, "a connection could not be closed")
        _ = try? channel.finish(acceptAlreadyClosed: true)
        return exchange
    }

    /// Delivers bytes to the channel, unless it is closed.
    private static func receive(_ bytes: ArraySlice<UInt8>, _ channel: EmbeddedChannel) {
        guard channel.isActive, !bytes.isEmpty else { return }
        _ = try? channel.writeInbound(ByteBuffer(bytes: bytes))
    }

    /// Returns a channel with the handlers of ``HTTP1ServerChannel`` except for the last one, because nothing here
    /// waits for a task.
    private static func connected(servesPlain: Bool) -> (EmbeddedChannel, FakePublisherServer) {
        let (channel, fake) = (EmbeddedChannel(), FakePublisherServer())
        ready {
            let pipeline = channel.pipeline.syncOperations
            if servesPlain { try pipeline.addHandler(PlainRequestHandler(responder)) }
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
                withEncoderConfiguration: .init(), withDecoderLimitConfiguration: NIOHTTPDecoderLimitConfiguration())
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            try pipeline.addHandlers(GatefoldServer.http1().additionalChannelHandlers())
            try pipeline.addHandler(IdleConnectionHandler(idleTimeout: .seconds(60)))
            try pipeline.addHandler(fake)
        }
        let frontServer = ready { try SocketAddress(ipAddress: "127.0.0.1", port: 1) }
        channel.remoteAddress = frontServer
        channel.connect(to: frontServer, promise: nil)
        return (channel, fake)
    }

    private static let responder = RequestResponder(
        CallbackResponder<GatefoldRequestContext> { request, _ in
            // The channel runs the rest of the task on demand.
            for _ in request.uri.path.dropFirst().prefix(while: { $0 == "w" }) { await Task.yield() }
            let body = Array(try await request.body.collect(upTo: 1 << 20).readableBytesView)
            let response = response(to: request.head, body)
            return Response(
                status: response.status, headers: response.headers,
                body: ResponseBody(byteBuffer: response.body))
        }, logger: Logger(label: "fuzzing", factory: { _ in SwiftLogNoOpLogHandler() }))

    /// Lets tasks and inner handlers continue. Returns false if nothing is left to do.
    @discardableResult
    private static func proceed(_ channel: EmbeddedChannel, _ fake: FakePublisherServer) -> Bool {
        channel.embeddedEventLoop.run()
        return fake.proceed()
    }

    /// Returns an echo of the request.
    private static func response(
        to head: HTTPRequest, _ body: [UInt8]
    ) -> (status: HTTPResponse.Status, headers: HTTPFields, body: ByteBuffer) {
        let text = "\(head.method.rawValue) \(head.path ?? "") \(Hexadecimal.encode(body))"
        return (.accepted, [.contentType: "text/plain"], ByteBuffer(string: text))
    }

    /// A handler in place of Hummingbird's tasks: responds to whole requests in order, but sends each half of a
    /// response only on demand, like a response that waits for a backend.
    private final class FakePublisherServer: ChannelInboundHandler {
        typealias InboundIn = HTTPRequestPart
        typealias OutboundOut = HTTPResponsePart

        private(set) var requests = 0
        private var head: HTTPRequest?
        private var body: [UInt8] = []
        /// The parts of unsent responses.
        private var halves: [[HTTPResponsePart]] = []
        /// Whether the client closed the connection or sent an invalid request.
        private var isClosed = false
        private var context: ChannelHandlerContext?

        func handlerAdded(context: ChannelHandlerContext) {
            self.context = context
        }

        func handlerRemoved(context: ChannelHandlerContext) {
            self.context = nil
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): (self.head, body) = (head, [])
            case .body(let bytes): body += bytes.readableBytesView
            case .end:
                guard let head = head.take() else { return }
                requests += 1
                if head.headerFields[.connection] == "close" { isClosed = true }
                let response = FuzzTarget.response(to: head, body)
                var httpResponse = HTTPResponse(status: response.status, headerFields: response.headers)
                httpResponse.headerFields[.contentLength] = String(response.body.readableBytes)
                halves += [[.head(httpResponse)], [.body(response.body), .end(nil)]]
                // A response from memory is complete while the bytes are still being parsed.
                if head.path?.hasPrefix("/s") == true { while proceed() {} }
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            guard !isClosed else { return }
            isClosed = true
            let rejection = HTTPResponse(
                status: .badRequest, headerFields: [.connection: "close", .contentLength: "0"])
            halves += [[.head(rejection)], [.end(nil)]]
        }

        /// Sends the next half of a response. Returns false if there is none.
        @discardableResult
        func proceed() -> Bool {
            guard let context, !halves.isEmpty else { return false }
            for part in halves.removeFirst() { context.write(wrapOutboundOut(part), promise: nil) }
            context.flush()
            if isClosed, halves.isEmpty { context.close(mode: .output, promise: nil) }
            return true
        }
    }
}
