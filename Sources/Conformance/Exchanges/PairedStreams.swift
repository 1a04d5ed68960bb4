import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL

/// An HTTP/2 connection on which two requests leave in one TLS record and so reach the server at the same time. The
/// order of the responses then depends on the server alone and not on the network (van Goethem and others,
/// "Timeless Timing Attacks", USENIX Security 2020).
///
/// Source: Pitfall 6, “User enumeration”.
package struct PairedStreams {
    /// The two responses to one pair of requests.
    package struct Outcome: Sendable {
        /// The responses in the order of the requests.
        package let responses: [ReceivedResponse]
        /// A Boolean value that indicates whether the response to the first request came first.
        package let isFirstAhead: Bool
    }

    private var inbound: NIOAsyncChannelInboundStream<HTTP2Frame>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<HTTP2Frame>
    private let channel: any Channel
    private let timeout: Int64
    private var nextStream = 1

    /// The maximum number of bytes of a response body that are read.
    private static let maxBodySize = 1 << 20

    /// Runs the body with a connection to a server that agrees on HTTP/2.
    ///
    /// - Throws: ``ProbeFailure``, or the error of the body.
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
                    timeout: transport.timeout)
                try await streams.awaitSettings()
                result = try await body(&streams)
            }
        } catch let error where !(error is CancellationError) {
            // A connection that cannot be closed cleanly does not invalidate the responses that it carried.
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
                .connectTimeout(.seconds(transport.timeout))
                .connect(host: address.host, port: address.port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let tls = try NIOSSLClientHandler(context: context, serverHostname: address.serverName)
                        try channel.pipeline.syncOperations.addHandlers([
                            tls, WriteCoalescer(), NIOHTTP2Handler(mode: .client), FlowControlWindowHandler(),
                        ])
                        return try NIOAsyncChannel<HTTP2Frame, HTTP2Frame>(wrappingChannelSynchronously: channel)
                    }
                }
        } catch {
            throw ProbeTransport.failure(error)
        }
    }

    /// Waits for the server's settings, which contain the maximum number of concurrent streams.
    private mutating func awaitSettings() async throws {
        try await withTimeout { streams in
            while let frame = try await streams.next() {
                if case .settings(.settings) = frame.payload { return }
            }
            throw ProbeFailure.noResponse
        }
    }

    /// Sends both requests at the same time.
    ///
    /// - Throws: ``ProbeFailure`` unless both requests get a response. The connection is then unusable.
    package mutating func race(_ first: Probe, _ second: Probe) async throws -> Outcome {
        let streams = [HTTP2StreamID(nextStream), HTTP2StreamID(nextStream + 2)]
        nextStream += 4
        let frames = zip([first, second], streams).flatMap { Self.frames($0, on: $1) }
        return try await withTimeout { pair in
            try await pair.outbound.write(contentsOf: frames)
            return try await pair.outcome(on: streams)
        }
    }

    private mutating func outcome(on streams: [HTTP2StreamID]) async throws -> Outcome {
        var responses: [ReceivedResponse?] = [nil, nil]
        var order: [Int] = []
        var open: Set = [0, 1]
        var received = 0
        while !open.isEmpty {
            guard let frame = try await next() else { throw ProbeFailure.noResponse }
            if case .goAway(let last, _, _) = frame.payload, streams.contains(where: { $0 > last }) {
                throw ProbeFailure.noResponse
            }
            guard let index = streams.firstIndex(of: frame.streamID) else { continue }
            switch frame.payload {
            case .headers(let part):
                if responses[index] == nil, let response = Self.response(part.headers) {
                    responses[index] = response
                    order.append(index)
                }
                if part.endStream { open.remove(index) }
            case .data(let part):
                received += part.data.readableBytes
                if case .byteBuffer(let bytes) = part.data, received <= Self.maxBodySize {
                    responses[index]?.body += bytes.readableBytesView
                }
                if part.endStream { open.remove(index) }
            case .rstStream: throw ProbeFailure.noResponse
            default: break
            }
        }
        guard let one = responses[0], let other = responses[1] else { throw ProbeFailure.noResponse }
        return Outcome(responses: [one, other], isFirstAhead: order.first == 0)
    }

    private mutating func next() async throws -> HTTP2Frame? {
        do {
            return try await inbound.next(isolation: #isolation)
        } catch {
            throw ProbeTransport.failure(error)
        }
    }

    /// Closes the connection after the time limit and reports a timeout, which differs from a connection that the
    /// server closes.
    private mutating func withTimeout<Result>(
        _ body: (inout PairedStreams) async throws -> Result
    ) async throws -> Result {
        let timeout = ChannelTimeout()
        let deadline = timeout.end(channel, in: self.timeout)
        defer { deadline.cancel() }
        do {
            return try await body(&self)
        } catch let error where timeout.hasElapsed && !(error is CancellationError) {
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

    /// Returns nil for informational headers before a response, and for trailers.
    private static func response(_ headers: HPACKHeaders) -> ReceivedResponse? {
        guard let status = headers.first(name: ":status").flatMap({ Int($0) }), status >= 200 else { return nil }
        return ReceivedResponse(
            status: status,
            fields: headers.filter { !$0.name.hasPrefix(":") }.map { Field($0.name, $0.value) })
    }
}

/// A handler that returns flow-control credit for each received frame, for the stream and for the connection.
/// Without it a server may send 64 KB at first (RFC 9113 section 6.9.2).
///
/// The frames pass through one by one as they arrive, so that the handler never writes to a finished stream.
private final class FlowControlWindowHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private var hasUnflushed = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        if case .data(let part) = frame.payload {
            let length = part.data.readableBytes + (part.paddingBytes.map { $0 + 1 } ?? 0)
            if length > 0 {
                updateWindow(length, to: .rootStream, context)
                if !part.endStream { updateWindow(length, to: frame.streamID, context) }
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

    private func updateWindow(_ length: Int, to stream: HTTP2StreamID, _ context: ChannelHandlerContext) {
        let update = HTTP2Frame(streamID: stream, payload: .windowUpdate(windowSizeIncrement: length))
        context.write(wrapOutboundOut(update), promise: nil)
        hasUnflushed = true
    }
}

/// A handler that joins all writes up to the flush into one TLS record and thus into one segment.
private final class WriteCoalescer: ChannelOutboundHandler {
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
