import ContentGate
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// An HTTP/1 connection, without TLS or behind it, that uses little memory while it waits for the next request.
///
/// A connection is one task during its whole life, and a task retains every part of the stack that it ever used.
/// Hummingbird's ``HTTP1Channel`` handles requests in that task and waits in it with the last request still in
/// memory, which is nearly half of the memory of an idle connection. This channel has the same behaviour on the
/// wire, but handles each request in a task that ends with it (``PlainRequestHandler`` and ``RequestDispatchHandler``).
/// The connection's own task only waits for the end.
struct HTTP1ServerChannel: ServerChildChannel {
    let responder: RequestResponder
    let configuration: HTTP1Channel.Configuration
    /// A Boolean value that indicates whether the operating system sends files on the connection. TLS excludes this.
    var sendsFiles = false

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1ServerConnection> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            try channel.syncOptions?.setOption(.recvAllocator, value: Self.receiving)
            try pipeline.addHandler(PlainRequestHandler(responder))
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
                withEncoderConfiguration: .init(), withDecoderLimitConfiguration: decoderLimits)
            if sendsFiles {
                // Its place is where responses are parts and not yet bytes.
                let encoder = try pipeline.handler(type: HTTPResponseEncoder.self)
                try pipeline.addHandler(FileSendingHandler(), position: .after(encoder))
            }
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            try pipeline.addHandlers(configuration.additionalChannelHandlers())
            if let idleTimeout = configuration.idleTimeout {
                try pipeline.addHandler(IdleConnectionHandler(idleTimeout: idleTimeout))
            }
            let dispatch = RequestDispatchHandler(responder)
            try pipeline.addHandlers(IncomingRequestHandler(), dispatch)
            let wrapped = try NIOAsyncChannel<Never, HTTPResponsePart>(
                wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
            try pipeline.addHandler(ReadShortcutHandler())
            return HTTP1ServerConnection(wrapped, dispatch)
        }
    }

    func handle(value: HTTP1ServerConnection, logger: Logger) async {
        await value.serve()
    }

    private var decoderLimits: NIOHTTPDecoderLimitConfiguration {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = configuration.httpDecoder.maxHeaderFieldSize
        limits.maxHeaderListSize = configuration.httpDecoder.maxHeaderListSize
        limits.maxHeaderFieldCount = configuration.httpDecoder.maxHeaderFieldCount
        return limits
    }

    /// The allocator of receive buffers. A connection retains its last receive buffer, so the buffer starts with
    /// the size of typical requests from apps and front servers, and holds only a small part of a large body at a
    /// time.
    static let receiving = AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 1024, maximum: 8192)
}
