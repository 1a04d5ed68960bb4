import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTPTypes

/// The task of one connection: waits until all its requests are answered (``AnsweringHandler``), and ends it.
///
/// One object instead of copies of what it holds in several frames: all that stands in these is held by every idle connection.
final class LeanConnection: ServerChildChannelValue {
    private let wrapped: NIOAsyncChannel<Never, HTTPResponsePart>
    private let answering: NIOLoopBound<AnsweringHandler>

    init(_ wrapped: NIOAsyncChannel<Never, HTTPResponsePart>, _ answering: AnsweringHandler) {
        self.wrapped = wrapped
        self.answering = NIOLoopBound(answering, eventLoop: wrapped.channel.eventLoop)
    }

    var channel: any Channel { wrapped.channel }

    /// Until the connection is closed.
    func serve() async {
        try? await wrapped.executeThenClose { _, outbound in
            if try await answerAll(outbound) == .unreadable { try await refuse(outbound) }
            try await end(outbound)
        }
    }

    private func answerAll(_ outbound: AnsweringHandler.Writer) async throws -> AnsweringHandler.End {
        try await withTaskCancellationHandler {
            try await channel.eventLoop.flatSubmit { [self] in
                answering.value.answerAll(outbound, on: channel.eventLoop)
            }.get()
        } onCancel: {
            channel.close(mode: .input, promise: nil)
            channel.eventLoop.execute { [self] in answering.value.cancel() }
        }
    }

    /// Apart, as ``end(_:)`` is, because what it needs would stand in the frame that waits.
    private func refuse(_ outbound: AnsweringHandler.Writer) async throws {
        try await outbound.write(contentsOf: Self.badRequest)
    }

    private func end(_ outbound: AnsweringHandler.Writer) async throws {
        if Task.isCancelled { channel.close(mode: .input, promise: nil) }
        outbound.finish()
        try await withTaskCancellationHandler {
            try await channel.closeFuture.get()
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    /// To what can not be read.
    private static let badRequest: [HTTPResponsePart] = [
        .head(.init(status: .badRequest, headerFields: [.connection: "close", .contentLength: "0"])), .end(nil),
    ]
}
