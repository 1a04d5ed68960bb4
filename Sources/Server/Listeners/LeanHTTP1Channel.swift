import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// A kind of HTTP/1 connection, without TLS, that holds little while it waits for the next request.
///
/// A connection is one task for as long as it lasts, and a task keeps every piece of stack that it ever used. Hummingbird's
/// ``HTTP1Channel`` works in that task, and waits in it with the last request still at hand: nearly half of what an idle
/// connection takes. This one is the same on the wire, but answers each request in a task that ends with it, and waits for whole
/// requests (``ArrivedRequest``), not for their parts. It waits on its event loop, where what it waits for happens.
///
/// It closes neither idle connections nor those that are left when the server stops: ``LaneSignal`` does.
struct LeanHTTP1Channel: ServerChildChannel {
    typealias Value = NIOAsyncChannel<ArrivedRequest, HTTPResponsePart>

    let responder: HTTPChannelHandler.Responder
    let configuration: HTTP1Channel.Configuration
    /// Whether a request is answered on the event loop, too: where that waits for nothing but other threads and the client.
    var isLight: @Sendable (HTTPRequest) -> Bool = { _ in false }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            try channel.syncOptions?.setOption(.recvAllocator, value: Self.receiving)
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
                withEncoderConfiguration: .init(), withDecoderLimitConfiguration: decoderLimits)
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            try pipeline.addHandlers(configuration.additionalChannelHandlers())
            try pipeline.addHandler(RequestArrivalHandler())
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
        }
    }

    // All that stands in these frames is held by every idle connection.
    func handle(value: Value, logger: Logger) async {
        let executor = EventLoopTaskExecutor(value.channel.eventLoop)
        await withTaskExecutorPreference(executor) { await serve(value, on: executor) }
    }

    private func serve(_ value: Value, on executor: EventLoopTaskExecutor) async {
        try? await value.executeThenClose { requests, outbound in
            // That of the request last answered.
            var breakage: ArrivedRequest.Breakage?
            do {
                for try await request in requests {
                    try await answer(request, outbound, value.channel, on: isLight(request.head) ? executor : nil)
                    breakage = request.breakage
                    if request.isLast { break }
                }
            } catch is HTTPParserError {
                // A request whose body could not be read to its end, and that is answered, gets no second answer.
                if breakage?.isKnown != true { try await outbound.write(contentsOf: Self.badRequest) }
            }
            if Task.isCancelled { value.channel.close(mode: .input, promise: nil) }
            outbound.finish()
            try await withTaskCancellationHandler {
                try await value.channel.closeFuture.get()
            } onCancel: {
                value.channel.close(promise: nil)
            }
        }
    }

    /// - Parameter executor: nil for the threads that everything else runs on.
    private func answer(
        _ request: ArrivedRequest, _ outbound: NIOAsyncChannelOutboundWriter<HTTPResponsePart>, _ channel: any Channel,
        on executor: EventLoopTaskExecutor?
    ) async throws {
        let task = Task(executorPreference: executor ?? globalConcurrentExecutor) { [responder] in
            try await responder(
                Request(head: request.head, body: request.body), ResponseWriter(outbound: outbound), channel)
        }
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
            channel.close(mode: .input, promise: nil)
        }
        // What was written on another thread is on its way to the loop, and nothing that is done here may overtake it.
        if executor == nil { try? await channel.eventLoop.submit {}.get() }
        try result.get()
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
    private static let receiving = AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 1024, maximum: 8192)

    /// To what can not be read.
    private static let badRequest: [HTTPResponsePart] = [
        .head(.init(status: .badRequest, headerFields: [.connection: "close", .contentLength: "0"])), .end(nil),
    ]
}
