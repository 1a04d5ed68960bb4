import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP2
import NIOSSL
import NIOTLS

/// A connection with TLS on which the client selects HTTP/2 or HTTP/1.1.
///
/// Requests are handled as on connections without TLS. On HTTP/2, the task of a request is cancelled when its stream is
/// reset (``HTTP2ConnectionHandler``). The HTTP/2 settings are those of swift-nio-http2: at most 100 concurrent streams,
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
                    channel.eventLoop.makeCompletedFuture { .http2(try serveStreams(of: channel)) }
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

    private func serveStreams(of channel: any Channel) throws -> NIOLoopBound<HTTP2ConnectionHandler> {
        let handler = HTTP2ConnectionHandler(responder, idleTimeout: idleTimeout, stallTimeout: stallTimeout)
        try handler.add(to: channel)
        return NIOLoopBound(handler, eventLoop: channel.eventLoop)
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
            try? await loop.flatSubmit { handler.value.whenAllEnded(on: loop) }.get()
        case nil: break
        }
    }
}
