import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Answers the requests of one connection, each in a task that ends with it.
///
/// One object instead of copies of what it holds in several frames: all that stands in these is held by every idle connection.
final class LeanConnection: Sendable {
    private let channel: LeanHTTP1Channel.Value
    private let responder: HTTPChannelHandler.Responder
    private let isLight: @Sendable (HTTPRequest) -> Bool

    /// - Parameter isLight: see ``LeanHTTP1Channel``.
    init(
        _ channel: LeanHTTP1Channel.Value, _ responder: @escaping HTTPChannelHandler.Responder,
        isLight: @escaping @Sendable (HTTPRequest) -> Bool
    ) {
        self.channel = channel
        self.responder = responder
        self.isLight = isLight
    }

    /// Until the connection is closed.
    func serve() async {
        try? await channel.executeThenClose { try await answerAll($0, $1) }
    }

    private func answerAll(
        _ requests: NIOAsyncChannelInboundStream<ArrivedRequest>,
        _ outbound: NIOAsyncChannelOutboundWriter<HTTPResponsePart>
    ) async throws {
        // That of the request last answered.
        var breakage: ArrivedRequest.Breakage?
        do {
            for try await request in requests {
                let isLast = try await answer(request, outbound)
                breakage = request.breakage
                if isLast { break }
            }
        } catch is HTTPParserError {
            // A request whose body could not be read to its end, and that is answered, gets no second answer.
            if breakage?.isKnown != true { try await refuse(outbound) }
        }
        try await end(outbound)
    }

    /// Apart, as ``end(_:)`` is, because what it needs would stand in the frame that waits.
    private func refuse(_ outbound: NIOAsyncChannelOutboundWriter<HTTPResponsePart>) async throws {
        try await outbound.write(contentsOf: Self.badRequest)
    }

    private func end(_ outbound: NIOAsyncChannelOutboundWriter<HTTPResponsePart>) async throws {
        if Task.isCancelled { channel.channel.close(mode: .input, promise: nil) }
        outbound.finish()
        try await withTaskCancellationHandler {
            try await channel.channel.closeFuture.get()
        } onCancel: {
            channel.channel.close(promise: nil)
        }
    }

    /// - Returns: whether it was the last.
    private func answer(
        _ request: ArrivedRequest, _ outbound: NIOAsyncChannelOutboundWriter<HTTPResponsePart>
    ) async throws -> Bool {
        let task = answering(request, outbound)
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
            channel.channel.close(mode: .input, promise: nil)
        }
        return request.isLast
    }

    private func answering(
        _ request: ArrivedRequest, _ outbound: NIOAsyncChannelOutboundWriter<HTTPResponsePart>
    ) -> Task<Void, any Error> {
        let channel = channel.channel
        let executor = isLight(request.head) ? EventLoopTaskExecutor(channel.eventLoop) : globalConcurrentExecutor
        return Task(executorPreference: executor) { [responder] in
            try await responder(
                Request(head: request.head, body: request.body), ResponseWriter(outbound: outbound), channel)
        }
    }

    /// To what can not be read.
    private static let badRequest: [HTTPResponsePart] = [
        .head(.init(status: .badRequest, headerFields: [.connection: "close", .contentLength: "0"])), .end(nil),
    ]
}
