import ContentGate
import FrontDoors
import Gatefold
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

@testable import Server

extension FuzzTarget {
    /// A connection with the fast lane in front, and one without it whose handlers further in say the same: a client
    /// gets the same answers in the same order, whoever gives them.
    ///
    /// The first line says how the rest comes: each of its bytes how much arrives next, and how many halves of answers
    /// those further in send before more does.
    static let fastLane = FuzzTarget(
        "fast-lane", upTo: 1024, of: "FastLaneHandler", "LaneAnswers", "PugpigDecided"
    ) { bytes in
        let (lane, plain) = (exchange(bytes, hasLane: true), exchange(bytes, hasLane: false))
        promise(
            lane.lines == plain.lines,
            """
            in front of the fast lane answers are others, or come in another order: \(lane.lines)
            instead of \(plain.lines)
            for \(text(bytes).debugDescription)
            """)
        promise(lane.isOpen == plain.isOpen, "in front of the fast lane a connection ends elsewhere")
        promise(lane.requests <= plain.requests, "the fast lane makes requests")
    }

    /// How many requests pass the fast lane, and how many there are.
    static func passed(_ bytes: [UInt8]) -> (inside: Int, all: Int) {
        (exchange(bytes, hasLane: true).requests, exchange(bytes, hasLane: false).requests)
    }

    /// What became of what a client sent.
    private struct Exchange {
        /// Of all answers, without their dates.
        let lines: [Substring]
        let isOpen: Bool
        /// How many requests came as far as the handlers further in.
        let requests: Int
    }

    private static func exchange(_ bytes: [UInt8], hasLane: Bool) -> Exchange {
        let (channel, standIn) = connected(hasLane: hasLane)
        let marks = bytes.prefix { $0 != 0x0A }
        var rest = bytes.dropFirst(marks.count + 1)
        for mark in marks.prefix(24) {
            let piece = rest.prefix(1 + 2 * Int(mark % 32))
            rest = rest.dropFirst(piece.count)
            receive(piece, channel)
            // None for digits, one for capitals, two for small letters.
            for _ in 0..<(mark / 32 + 3) % 4 { standIn.goOn() }
        }
        receive(rest, channel)
        while standIn.goOn() {}
        var sent: [UInt8] = []
        while let part = try? channel.readOutbound(as: ByteBuffer.self) { sent += part.readableBytesView }
        let lines = text(sent).split(separator: "\r\n", omittingEmptySubsequences: false)
        let exchange = Exchange(
            lines: lines.filter { !$0.hasPrefix("Date: ") }, isOpen: channel.isActive, requests: standIn.requests)
        channel.close(promise: nil)
        // Otherwise the next line would wait for ever.
        promise(!channel.isActive, "a connection can not be closed")
        _ = try? channel.finish(acceptAlreadyClosed: true)
        return exchange
    }

    /// Nothing comes on a connection that was closed.
    private static func receive(_ bytes: ArraySlice<UInt8>, _ channel: EmbeddedChannel) {
        guard channel.isActive, !bytes.isEmpty else { return }
        _ = try? channel.writeInbound(ByteBuffer(bytes: bytes))
    }

    /// The handlers of ``LeanHTTP1Channel``, but for the last: nothing here waits for a task.
    private static func connected(hasLane: Bool) -> (EmbeddedChannel, StandIn) {
        let (channel, standIn) = (EmbeddedChannel(), StandIn())
        ready {
            let pipeline = channel.pipeline.syncOperations
            if hasLane { try pipeline.addHandler(FastLaneHandler(laneAnswers())) }
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
                withEncoderConfiguration: .init(), withDecoderLimitConfiguration: NIOHTTPDecoderLimitConfiguration())
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            try pipeline.addHandlers(GatefoldServer.http1(hasFastLane: true).additionalChannelHandlers())
            try pipeline.addHandler(standIn)
        }
        let frontServer = ready { try SocketAddress(ipAddress: "127.0.0.1", port: 1) }
        channel.remoteAddress = frontServer
        channel.connect(to: frontServer, promise: nil)
        return (channel, standIn)
    }

    /// With a memory of its own: those of event loops that are gone would add up.
    private static func laneAnswers() -> LaneAnswers {
        LaneAnswers(
            publications: publications, keeper: GateKeeper(current: { publications.value.gate }), log: laneLog,
            clock: WallClock { FuzzedTenant.now }, logger: silentLogger)
    }

    private static let laneLog = AccessLog()
    private static let silentLogger = Logger(label: "fuzzing", factory: { _ in SwiftLogNoOpLogHandler() })

    private static let publications = CurrentPublications(
        PublicationSet(
            directory: PublicationDirectory(
                default: FuzzedTenant.proxy, byID: [FuzzedTenant.id: FuzzedTenant.proxy]),
            gate: ready {
                try Gate(
                    [
                        GatePublication(
                            id: FuzzedTenant.id, layout: ContentLayout(prefix: "/content/daily/"),
                            verifier: FuzzedTenant.verifier, revocations: FuzzedTenant.revocations)
                    ], clock: WallClock { FuzzedTenant.now })
            }, backends: OpenBackends(), clients: ClientAddressResolver(trusted: [])))

    /// What is decided, in the front door's own words and the auth-request endpoint's; else the request again.
    private static func answer(to head: HTTPRequest, _ body: [UInt8]) -> WholeAnswer {
        let target = head.path ?? ""
        let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        let path = target[..<mark]
        if path == "/auth-request/original-uri" {
            let answer = AuthRequestAnswer(to: head, .original, publications.value.gate)
            return WholeAnswer(status: answer.status, headers: answer.headers)
        }
        let door = PugpigDecided(publications: publications.value.directory)
        let decided =
            head.method == .get
            ? door.answer(
                path: path, query: target.utf8[mark...].dropFirst(),
                acceptLanguage: head.headerFields[.acceptLanguage], client: nil) : nil
        return decided?.answer
            ?? WholeAnswer(
                status: .accepted,
                body: ByteBuffer(string: "\(head.method.rawValue) \(target) \(Hexadecimal.encode(body))"))
    }

    /// Stands where Hummingbird's tasks would: answers whole requests in their order, but each half of an answer only
    /// when it is told to go on, as if somebody had to be asked first.
    private final class StandIn: ChannelInboundHandler {
        typealias InboundIn = HTTPRequestPart
        typealias OutboundOut = HTTPResponsePart

        private(set) var requests = 0
        private var head: HTTPRequest?
        private var body: [UInt8] = []
        /// Of answers that are not sent yet.
        private var halves: [[HTTPResponsePart]] = []
        /// Whether the client wants no more, or can not be understood.
        private var isOver = false
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
                if head.headerFields[.connection] == "close" { isOver = true }
                let answer = FuzzTarget.answer(to: head, body)
                var response = HTTPResponse(status: answer.status, headerFields: answer.headers)
                response.headerFields[.contentLength] = String(answer.body.readableBytes)
                halves += [[.head(response)], [.body(answer.body), .end(nil)]]
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            guard !isOver else { return }
            isOver = true
            let refusal = HTTPResponse(
                status: .badRequest, headerFields: [.connection: "close", .contentLength: "0"])
            halves += [[.head(refusal)], [.end(nil)]]
        }

        /// Sends the next half of an answer; false when there is none.
        @discardableResult
        func goOn() -> Bool {
            guard let context, !halves.isEmpty else { return false }
            for part in halves.removeFirst() { context.write(wrapOutboundOut(part), promise: nil) }
            context.flush()
            if isOver, halves.isEmpty { context.close(mode: .output, promise: nil) }
            return true
        }
    }
}
