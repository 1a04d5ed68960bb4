import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP2
import NIOHTTPTypes
import NIOHTTPTypesHTTP2
import NIOSSL
import NIOTLS

/// A connection with TLS on which the client selects HTTP/2 or HTTP/1.1.
///
/// Requests are handled as on connections without TLS, each in its own task that is cancelled when its stream is
/// reset (``RequestDispatchHandler``). The HTTP/2 settings are those of swift-nio-http2: at most 100 concurrent streams,
/// and a connection is closed after 200 resets, or after 200 PING and SETTINGS frames, within 30 s.
struct SecureChannel: ServerChildChannel {
    private let context: NIOSSLContext
    private let http1: HTTP1ServerChannel
    private let responder: RequestResponder
    private let idleTimeout: TimeAmount
    private let stallTimeout: TimeAmount

    /// - Parameters:
    ///   - idleTimeout: The maximum time that a connection may have no request.
    ///   - stallTimeout: The maximum time in which the client of a stream receives nothing of a response.
    init(
        _ configuration: TLSConfiguration, responder: RequestResponder,
        idleTimeout: TimeAmount, stallTimeout: TimeAmount
    ) throws {
        var configuration = configuration
        configuration.applicationProtocols = ["h2", "http/1.1"]
        context = try NIOSSLContext(configuration: configuration)
        self.responder = responder
        self.idleTimeout = idleTimeout
        self.stallTimeout = stallTimeout
        http1 = HTTP1ServerChannel(
            responder: responder, configuration: GatefoldServer.http1(idleTimeout: idleTimeout))
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<SecureConnection> {
        channel.eventLoop.makeCompletedFuture {
            let negotiation = NIOTypedApplicationProtocolNegotiationHandler<SecureConnection.Negotiated> { result in
                switch result {
                case .negotiated("h2"):
                    channel.eventLoop.makeCompletedFuture { .http2(try addStreams(to: channel)) }
                case .negotiated("http/1.1"), .fallback:
                    http1.setup(channel: channel, logger: logger).map { .http1($0) }
                case .negotiated:
                    // The server offers no other protocol.
                    channel.close().flatMapThrowing { throw ChannelError.ioOnClosedChannel }
                }
            }
            try channel.syncOptions?.setOption(.recvAllocator, value: HTTP1ServerChannel.receiving)
            try channel.pipeline.syncOperations.addHandlers(
                NIOSSLServerHandler(context: context), SecureCloseHandler(), negotiation)
            return SecureConnection(channel: channel, negotiated: negotiation.protocolNegotiationResult)
        }
    }

    func handle(value: SecureConnection, logger: Logger) async {
        await value.serve()
    }

    private func addStreams(to channel: any Channel) throws -> NIOLoopBound<HTTP2ConnectionHandler> {
        let handler = HTTP2ConnectionHandler(idleTimeout: idleTimeout)
        let bound = NIOLoopBound(handler, eventLoop: channel.eventLoop)
        let pipeline = channel.pipeline.syncOperations
        _ = try pipeline.configureHTTP2Pipeline(
            mode: .server, connectionConfiguration: .init(), streamConfiguration: .init(),
            streamDelegate: HTTP2ConnectionHandler.Streams(handler: bound)
        ) { stream in
            stream.eventLoop.makeCompletedFuture {
                bound.value.serve(try makeStream(of: stream), on: stream.eventLoop)
            }
        }
        try pipeline.addHandler(handler)
        return bound
    }

    private func makeStream(of channel: any Channel) throws -> HTTP1ServerConnection {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandlers(HTTP2FramePayloadToHTTPServerCodec(), StalledStreamHandler(stallTimeout: stallTimeout))
        try pipeline.addHandlers(GatefoldServer.requestHandlers(ofStream: true))
        let dispatch = RequestDispatchHandler(responder)
        try pipeline.addHandlers(IncomingRequestHandler(), dispatch)
        return HTTP1ServerConnection(
            try NIOAsyncChannel<Never, HTTPResponsePart>(wrappingChannelSynchronously: channel), dispatch)
    }
}

/// A connection with TLS, whose protocol is known after the handshake.
struct SecureConnection: ServerChildChannelValue {
    enum Negotiated: Sendable {
        case http1(HTTP1ServerConnection)
        case http2(NIOLoopBound<HTTP2ConnectionHandler>)
    }

    let channel: any Channel
    let negotiated: EventLoopFuture<Negotiated>

    /// Waits until the connection is closed and the tasks of its streams have ended.
    func serve() async {
        switch try? await negotiated.get() {
        case .http1(let connection): await connection.serve()
        case .http2(let handler):
            let loop = channel.eventLoop
            try? await channel.closeFuture.get()
            try? await loop.flatSubmit { handler.value.whenAllClosed(on: loop) }.get()
        case nil: break
        }
    }
}
