import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// A kind of HTTP/1 connection, without TLS or behind it, that holds little while it waits for the next request.
///
/// A connection is one task for as long as it lasts, and a task keeps every piece of stack that it ever used. Hummingbird's
/// ``HTTP1Channel`` works in that task, and waits in it with the last request still at hand: nearly half of what an idle
/// connection takes. This one is the same on the wire, but answers each request in a task that ends with it
/// (``AnsweringHandler``); its own waits for the end only.
///
/// It closes neither idle connections nor those that are left when the server stops: ``LaneSignal`` does, or Hummingbird's own
/// handler for that.
struct LeanHTTP1Channel: ServerChildChannel {
    let responder: HTTPChannelHandler.Responder
    let configuration: HTTP1Channel.Configuration
    /// Whether a request is answered on the connection's event loop: where that waits for nothing but other threads and the client.
    var isLight: @Sendable (HTTPRequest) -> Bool = { _ in false }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<LeanConnection> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            try channel.syncOptions?.setOption(.recvAllocator, value: Self.receiving)
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
                withEncoderConfiguration: .init(), withDecoderLimitConfiguration: decoderLimits)
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            try pipeline.addHandlers(configuration.additionalChannelHandlers())
            let answering = AnsweringHandler(responder, isLight: isLight)
            try pipeline.addHandlers(RequestArrivalHandler(), answering)
            let wrapped = try NIOAsyncChannel<Never, HTTPResponsePart>(
                wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
            return LeanConnection(wrapped, answering)
        }
    }

    func handle(value: LeanConnection, logger: Logger) async {
        await value.serve()
    }

    private var decoderLimits: NIOHTTPDecoderLimitConfiguration {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = configuration.httpDecoder.maxHeaderFieldSize
        limits.maxHeaderListSize = configuration.httpDecoder.maxHeaderListSize
        limits.maxHeaderFieldCount = configuration.httpDecoder.maxHeaderFieldCount
        return limits
    }

    /// A connection keeps what it last received into, so it begins with room for what apps and front servers ask, and has no more
    /// than a little of the largest body at a time.
    static let receiving = AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 1024, maximum: 8192)
}
