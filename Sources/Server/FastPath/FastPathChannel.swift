import ContentGate
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// An HTTP/1 connection without TLS that has the fast path in front and on which the operating system sends files.
struct FastPathChannel: ServerChildChannel {
    let wrapped: HTTP1ServerChannel
    let responses: FastPathResponder

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1ServerConnection> {
        do {
            try channel.pipeline.syncOperations.addHandler(FastPathHandler(responses))
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        let value = wrapped.setup(channel: channel, logger: logger)
        // The wrapped channel has no name for this position, where responses are parts and not yet bytes.
        if let encoder = try? channel.pipeline.syncOperations.handler(type: HTTPResponseEncoder.self) {
            try? channel.pipeline.syncOperations.addHandler(FileSendingHandler(), position: .after(encoder))
        }
        return value.map { value in
            // Adding the handler fails only if the channel is already closed.
            try? channel.pipeline.syncOperations.addHandler(FastPathShortcut())
            return value
        }
    }

    func handle(value: HTTP1ServerConnection, logger: Logger) async {
        await wrapped.handle(value: value, logger: logger)
    }
}
