import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP2
import NIOHTTPTypes
import NIOHTTPTypesHTTP2
import NIOSSL
import NIOTLS

/// A kind of connection with TLS, on which the client chooses HTTP/2 or HTTP/1.1.
///
/// Requests are answered as on connections without TLS, each in a task of its own that is cancelled when its stream is reset
/// (``AnsweringHandler``). The settings of HTTP/2 are swift-nio-http2's: a hundred streams at a time, and a connection is closed
/// after two hundred resets, or two hundred PING and SETTINGS frames, in half a minute.
struct SecureChannel: ServerChildChannel {
    private let context: NIOSSLContext
    private let http1: LeanHTTP1Channel
    private let responder: HTTPChannelHandler.Responder
    private let idleTimeout: TimeAmount
    private let patience: TimeAmount

    /// - Parameters:
    ///   - idleTimeout: how long a connection may have no request.
    ///   - patience: how long the client of a stream may take nothing of a response.
    init(
        _ configuration: TLSConfiguration, responder: @escaping HTTPChannelHandler.Responder,
        idleTimeout: TimeAmount, patience: TimeAmount
    ) throws {
        var configuration = configuration
        configuration.applicationProtocols = ["h2", "http/1.1"]
        context = try NIOSSLContext(configuration: configuration)
        self.responder = responder
        self.idleTimeout = idleTimeout
        self.patience = patience
        http1 = LeanHTTP1Channel(
            responder: responder, configuration: GatefoldServer.http1(closesIdle: true, idleTimeout: idleTimeout))
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
                    // Nothing else is offered.
                    channel.close().flatMapThrowing { throw ChannelError.ioOnClosedChannel }
                }
            }
            try channel.syncOptions?.setOption(.recvAllocator, value: LeanHTTP1Channel.receiving)
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

    private func makeStream(of channel: any Channel) throws -> LeanConnection {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandlers(HTTP2FramePayloadToHTTPServerCodec(), StalledStreamHandler(patience: patience))
        try pipeline.addHandlers(GatefoldServer.requestHandlers(ofStream: true))
        let answering = AnsweringHandler(responder, isLight: { _ in false })
        try pipeline.addHandlers(RequestArrivalHandler(), answering)
        return LeanConnection(
            try NIOAsyncChannel<Never, HTTPResponsePart>(wrappingChannelSynchronously: channel), answering)
    }
}

/// A connection with TLS, whose protocol is known after the handshake.
struct SecureConnection: ServerChildChannelValue {
    enum Negotiated: Sendable {
        case http1(LeanConnection)
        case http2(NIOLoopBound<HTTP2ConnectionHandler>)
    }

    let channel: any Channel
    let negotiated: EventLoopFuture<Negotiated>

    /// Until the connection is closed, and the tasks of its streams have ended.
    func serve() async {
        switch try? await negotiated.get() {
        case .http1(let connection): await connection.serve()
        case .http2(let handler):
            let loop = channel.eventLoop
            try? await channel.closeFuture.get()
            try? await loop.flatSubmit { handler.value.whenAllEnded(on: loop) }.get()
        case nil: break
        }
    }
}
