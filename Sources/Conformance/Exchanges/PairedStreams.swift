import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL

/// An HTTP/2 connection on which two requests leave in one TLS record, and so reach the server at one moment: which of them is
/// answered first is then up to the server alone, whatever the network does on the way (van Goethem and others, "Timeless
/// Timing Attacks", USENIX Security 2020; PITFALLS row 6).
package struct PairedStreams {
    /// Two answers to one pair.
    package struct Outcome: Sendable {
        /// In the order in which they were asked for.
        package let answers: [RawAnswer]
        /// Whether the answer to the request that stood first came first.
        package let isFirstAhead: Bool
    }

    private var inbound: NIOAsyncChannelInboundStream<HTTP2Frame>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<HTTP2Frame>
    private let channel: any Channel
    private let patience: Int64
    private var nextStream = 1

    /// The most of an answer's body that is read, in bytes.
    private static let longestBody = 1 << 20

    /// Runs the body with a connection to a server that agrees on HTTP/2.
    ///
    /// - Throws: ``ProbeFailure``, or what the body throws.
    package static func withConnection<Result: Sendable>(
        to address: Address, _ transport: ProbeTransport,
        _ body: @Sendable (inout PairedStreams) async throws -> Result
    ) async throws -> Result {
        let connection = try await connect(to: address, transport)
        var result: Result?
        do {
            try await connection.executeThenClose { inbound, outbound in
                var streams = PairedStreams(
                    inbound: inbound.makeAsyncIterator(), outbound: outbound, channel: connection.channel,
                    patience: transport.patience)
                try await streams.awaitSettings()
                result = try await body(&streams)
            }
        } catch let error where !(error is CancellationError) {
            // That a connection can not be closed in order takes nothing from what was answered on it.
            guard result != nil else { throw ProbeTransport.failure(error) }
        }
        guard let result else { throw CancellationError() }
        return result
    }

    private static func connect(
        to address: Address, _ transport: ProbeTransport
    ) async throws -> NIOAsyncChannel<HTTP2Frame, HTTP2Frame> {
        var configuration = transport.configuration
        configuration.applicationProtocols = ["h2"]
        do {
            let context = try NIOSSLContext(configuration: configuration)
            return try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connectTimeout(.seconds(transport.patience))
                .connect(host: address.host, port: address.port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let tls = try NIOSSLClientHandler(context: context, serverHostname: address.serverName)
                        try channel.pipeline.syncOperations.addHandlers([
                            tls, WriteJoiner(), NIOHTTP2Handler(mode: .client), WindowKeeper(),
                        ])
                        return try NIOAsyncChannel<HTTP2Frame, HTTP2Frame>(wrappingChannelSynchronously: channel)
                    }
                }
        } catch {
            throw ProbeTransport.failure(error)
        }
    }

    /// How many streams the server takes at once is known from then on.
    private mutating func awaitSettings() async throws {
        try await withPatience { streams in
            while let frame = try await streams.next() {
                if case .settings(.settings) = frame.payload { return }
            }
            throw ProbeFailure.noAnswer
        }
    }

    /// Asks for both at once.
    ///
    /// - Throws: ``ProbeFailure`` when not both were answered; the connection is then of no more use.
    package mutating func race(_ first: Probe, _ second: Probe) async throws -> Outcome {
        let streams = [HTTP2StreamID(nextStream), HTTP2StreamID(nextStream + 2)]
        nextStream += 4
        let frames = zip([first, second], streams).flatMap { Self.frames($0, on: $1) }
        return try await withPatience { pair in
            try await pair.outbound.write(contentsOf: frames)
            return try await pair.outcome(on: streams)
        }
    }

    private mutating func outcome(on streams: [HTTP2StreamID]) async throws -> Outcome {
        var answers: [RawAnswer?] = [nil, nil]
        var order: [Int] = []
        var open: Set = [0, 1]
        var received = 0
        while !open.isEmpty {
            guard let frame = try await next() else { throw ProbeFailure.noAnswer }
            if case .goAway(let last, _, _) = frame.payload, streams.contains(where: { $0 > last }) {
                throw ProbeFailure.noAnswer
            }
            guard let index = streams.firstIndex(of: frame.streamID) else { continue }
            switch frame.payload {
            case .headers(let part):
                if answers[index] == nil, let answer = Self.answer(part.headers) {
                    answers[index] = answer
                    order.append(index)
                }
                if part.endStream { open.remove(index) }
            case .data(let part):
                received += part.data.readableBytes
                if case .byteBuffer(let bytes) = part.data, received <= Self.longestBody {
                    answers[index]?.body += bytes.readableBytesView
                }
                if part.endStream { open.remove(index) }
            case .rstStream: throw ProbeFailure.noAnswer
            default: break
            }
        }
        guard let one = answers[0], let other = answers[1] else { throw ProbeFailure.noAnswer }
        return Outcome(answers: [one, other], isFirstAhead: order.first == 0)
    }

    private mutating func next() async throws -> HTTP2Frame? {
        do {
            return try await inbound.next(isolation: #isolation)
        } catch {
            throw ProbeTransport.failure(error)
        }
    }

    /// The connection is closed where it takes too long, which is another thing than one that the server closes.
    private mutating func withPatience<Result>(
        _ body: (inout PairedStreams) async throws -> Result
    ) async throws -> Result {
        let patience = Patience()
        let deadline = patience.end(channel, in: self.patience)
        defer { deadline.cancel() }
        do {
            return try await body(&self)
        } catch let error where patience.isOver && !(error is CancellationError) {
            throw ProbeFailure.timedOut
        }
    }

    // MARK: Frames

    private static func frames(_ probe: Probe, on stream: HTTP2StreamID) -> [HTTP2Frame] {
        var headers = HPACKHeaders([
            (":method", probe.method), (":scheme", "https"), (":authority", probe.address.authority),
            (":path", String(decoding: probe.target, as: UTF8.self)), ("user-agent", "gatefold-check"),
        ])
        for field in probe.headers { headers.add(name: field.name.lowercased(), value: field.value) }
        guard let body = probe.body else {
            return [HTTP2Frame(streamID: stream, payload: .headers(.init(headers: headers, endStream: true)))]
        }
        headers.add(name: "content-length", value: "\(body.count)")
        return [
            HTTP2Frame(streamID: stream, payload: .headers(.init(headers: headers, endStream: false))),
            HTTP2Frame(
                streamID: stream,
                payload: .data(.init(data: .byteBuffer(ByteBuffer(bytes: body)), endStream: true))),
        ]
    }

    /// Nil for what comes before an answer, and for trailers.
    private static func answer(_ headers: HPACKHeaders) -> RawAnswer? {
        guard let status = headers.first(name: ":status").flatMap({ Int($0) }), status >= 200 else { return nil }
        return RawAnswer(
            status: status,
            fields: headers.filter { !$0.name.hasPrefix(":") }.map { Field($0.name, $0.value) })
    }
}

/// Lets the server send as much again as came, stream by stream and on the whole: at first it may send 64 KB (RFC 9113 section 6.9.2).
///
/// Frames pass here one by one as the connection takes them in, so that a stream that is over is never written to.
private final class WindowKeeper: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private var hasUnflushed = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        if case .data(let part) = frame.payload {
            let length = part.data.readableBytes + (part.paddingBytes.map { $0 + 1 } ?? 0)
            if length > 0 {
                give(length, to: .rootStream, context)
                if !part.endStream { give(length, to: frame.streamID, context) }
            }
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if hasUnflushed {
            hasUnflushed = false
            context.flush()
        }
        context.fireChannelReadComplete()
    }

    private func give(_ length: Int, to stream: HTTP2StreamID, _ context: ChannelHandlerContext) {
        let update = HTTP2Frame(streamID: stream, payload: .windowUpdate(windowSizeIncrement: length))
        context.write(wrapOutboundOut(update), promise: nil)
        hasUnflushed = true
    }
}

/// Joins what is written until it is flushed: one TLS record, and with it one segment.
private final class WriteJoiner: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var joined = ByteBuffer()
    private var promises: [EventLoopPromise<Void>] = []

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        joined.writeImmutableBuffer(unwrapOutboundIn(data))
        if let promise { promises.append(promise) }
    }

    func flush(context: ChannelHandlerContext) {
        if joined.readableBytes > 0 {
            let written = context.eventLoop.makePromise(of: Void.self)
            for promise in promises { written.futureResult.cascade(to: promise) }
            promises = []
            context.write(wrapOutboundOut(joined), promise: written)
            joined = ByteBuffer()
        }
        context.flush()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        for promise in promises { promise.fail(ChannelError.ioOnClosedChannel) }
        promises = []
    }
}
