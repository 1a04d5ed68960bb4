import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTPTypes

/// The task of one connection. It waits until all requests have responses (``RequestDispatchHandler``), and then ends the
/// connection.
///
/// The type is one object instead of copies of its values in several stack frames, because every idle connection
/// retains these frames.
final class HTTP1ServerConnection: ServerChildChannelValue {
    private let wrapped: NIOAsyncChannel<Never, HTTPResponsePart>
    private let dispatch: NIOLoopBound<RequestDispatchHandler>

    init(_ wrapped: NIOAsyncChannel<Never, HTTPResponsePart>, _ dispatch: RequestDispatchHandler) {
        self.wrapped = wrapped
        self.dispatch = NIOLoopBound(dispatch, eventLoop: wrapped.channel.eventLoop)
    }

    var channel: any Channel { wrapped.channel }

    /// Serves until the connection is closed.
    func serve() async {
        try? await wrapped.executeThenClose { _, outbound in
            if try await dispatchAll(outbound) == .unreadable { try await reject(outbound) }
            try await end(outbound)
        }
    }

    private func dispatchAll(_ outbound: RequestDispatchHandler.Writer) async throws -> RequestDispatchHandler.End {
        try await withTaskCancellationHandler {
            try await channel.eventLoop.flatSubmit { [self] in
                dispatch.value.dispatchAll(outbound, on: channel.eventLoop)
            }.get()
        } onCancel: {
            channel.close(mode: .input, promise: nil)
            channel.eventLoop.execute { [self] in dispatch.value.cancel() }
        }
    }

    /// Sends the response to unreadable input. This function and ``end(_:)`` are separate, because their values
    /// would otherwise enlarge the frame that waits.
    private func reject(_ outbound: RequestDispatchHandler.Writer) async throws {
        try await outbound.write(contentsOf: Self.badRequest)
    }

    private func end(_ outbound: RequestDispatchHandler.Writer) async throws {
        if Task.isCancelled { channel.close(mode: .input, promise: nil) }
        outbound.finish()
        try await withTaskCancellationHandler {
            try await channel.closeFuture.get()
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    /// The response to unreadable input.
    private static var badRequest: [HTTPResponsePart] {
        var fields: HTTPFields = [.connection: "close", .contentLength: "0"]
        fields[RequestID.field] = RequestID().description
        return [.head(.init(status: .badRequest, headerFields: fields)), .end(nil)]
    }
}
