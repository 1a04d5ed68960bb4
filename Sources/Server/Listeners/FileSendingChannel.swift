import ContentGate
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// A kind of HTTP/1 connection, without TLS, on which the system sends files itself.
struct FileSendingChannel<Wrapped: ServerChildChannel>: ServerChildChannel {
    let wrapped: Wrapped

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Wrapped.Value> {
        let value = wrapped.setup(channel: channel, logger: logger)
        // It takes the place that the wrapped kind has no name for: where answers are parts and not yet bytes.
        if let encoder = try? channel.pipeline.syncOperations.handler(type: HTTPResponseEncoder.self) {
            try? channel.pipeline.syncOperations.addHandler(FileSendingHandler(), position: .after(encoder))
        }
        return value
    }

    func handle(value: Wrapped.Value, logger: Logger) async {
        await wrapped.handle(value: value, logger: logger)
    }
}
