import ContentGate
import FrontDoors
import HTTPTypes
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
    /// A connection with the fast path and one without it whose inner handlers respond identically: a client gets the
    /// same responses in the same order.
    ///
    /// The first line controls the rest: each of its bytes determines the size of the next chunk and the number of
    /// response halves that the inner handlers send before it.
    static let fastPathTarget = FuzzTarget(
        "fast-path", upTo: 1024, of: "FastPathHandler", "FastPathResponder", "PugpigImmediateResponder"
    ) { bytes in
        let (fastPath, plain) = (exchange(bytes, usesFastPath: true), exchange(bytes, usesFastPath: false))
        promise(
            fastPath.lines == plain.lines,
            """
            the responses with the fast path differ, or have another order: \(fastPath.lines)
            instead of \(plain.lines)
            for \(text(bytes).debugDescription)
            """)
        promise(fastPath.isOpen == plain.isOpen, "a connection with the fast path ends at another request")
        promise(fastPath.requests <= plain.requests, "the fast path adds requests")
    }

    /// Returns the number of requests that pass the fast path and the number of all requests.
    static func passed(_ bytes: [UInt8]) -> (inside: Int, all: Int) {
        (exchange(bytes, usesFastPath: true).requests, exchange(bytes, usesFastPath: false).requests)
    }

    /// The result of a client's data.
    private struct Exchange {
        /// The lines of all responses without their dates.
        let lines: [Substring]
        let isOpen: Bool
        /// The number of requests that reached the inner handlers.
        let requests: Int
    }

    private static func exchange(_ bytes: [UInt8], usesFastPath: Bool) -> Exchange {
        let (channel, fake) = connected(usesFastPath: usesFastPath)
        let cuts = bytes.prefix { $0 != 0x0A }
        var rest = bytes.dropFirst(cuts.count + 1)
        for cut in cuts.prefix(24) {
            let piece = rest.prefix(1 + 2 * Int(cut % 32))
            rest = rest.dropFirst(piece.count)
            receive(piece, channel)
            // 0 for digits, 1 for capital letters, 2 for small letters.
            for _ in 0..<(cut / 32 + 3) % 4 { fake.proceed() }
        }
        receive(rest, channel)
        while fake.proceed() {}
        var sent: [UInt8] = []
        while let part = try? channel.readOutbound(as: ByteBuffer.self) { sent += part.readableBytesView }
        let lines = text(sent).split(separator: "\r\n", omittingEmptySubsequences: false)
        let exchange = Exchange(
            lines: lines.filter { !$0.hasPrefix("Date: ") }, isOpen: channel.isActive, requests: fake.requests)
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
    private static func connected(usesFastPath: Bool) -> (EmbeddedChannel, FakePublisherServer) {
        let (channel, fake) = (EmbeddedChannel(), FakePublisherServer())
        ready {
            let pipeline = channel.pipeline.syncOperations
            if usesFastPath { try pipeline.addHandler(FastPathHandler(fastPathResponder())) }
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
                withEncoderConfiguration: .init(), withDecoderLimitConfiguration: NIOHTTPDecoderLimitConfiguration())
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            try pipeline.addHandlers(GatefoldServer.http1(hasFastPath: true).additionalChannelHandlers())
            try pipeline.addHandler(fake)
        }
        let frontServer = ready { try SocketAddress(ipAddress: "127.0.0.1", port: 1) }
        channel.remoteAddress = frontServer
        channel.connect(to: frontServer, promise: nil)
        return (channel, fake)
    }

    /// Returns a responder with its own cache, because the caches of finished event loops would accumulate.
    private static func fastPathResponder() -> FastPathResponder {
        FastPathResponder(
            publications: publications, evaluator: GateEvaluator(current: { publications.value.gate }),
            log: fastPathLog,
            clock: WallClock { FuzzedTenant.now }, logger: silentLogger)
    }

    private static let fastPathLog = AccessLog()
    private static let silentLogger = Logger(label: "fuzzing", factory: { _ in SwiftLogNoOpLogHandler() })

    private static let publications = ReloadableSnapshot(
        ServingState(
            directory: PublicationDirectory(
                default: FuzzedTenant.authorizationService, byID: [FuzzedTenant.id: FuzzedTenant.authorizationService]),
            gate: ready {
                try Gate(
                    [
                        GatePublication(
                            id: FuzzedTenant.id, layout: ContentLayout(prefix: "/content/daily/"),
                            verifier: FuzzedTenant.verifier, revocations: FuzzedTenant.revocations)
                    ], clock: WallClock { FuzzedTenant.now })
            }, backends: LiveBackendRegistry(), clients: ClientAddressResolver(trusted: [])))

    /// Returns the decision in the format of the front door and of the auth-request endpoint, or an echo of the
    /// request.
    private static func response(to head: HTTPRequest, _ body: [UInt8]) -> BufferedResponse {
        let target = head.path ?? ""
        let cut = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        let path = target[..<cut]
        if path == "/auth-request/original-uri" {
            let response = AuthRequestResponse(to: head, .original, publications.value.gate)
            return BufferedResponse(status: response.status, headers: response.headers)
        }
        let door = PugpigImmediateResponder(publications: publications.value.directory)
        let immediate =
            head.method == .get
            ? door.response(
                path: path, query: target.utf8[cut...].dropFirst(),
                acceptLanguage: head.headerFields[.acceptLanguage], client: nil) : nil
        return immediate?.response
            ?? BufferedResponse(
                status: .accepted,
                body: ByteBuffer(string: "\(head.method.rawValue) \(target) \(Hexadecimal.encode(body))"))
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
