import ContentGate
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// A kind of HTTP/1 connection, without TLS, with a fast lane in front, on which the system sends files itself.
struct FastLaneChannel: ServerChildChannel {
    let wrapped: LeanHTTP1Channel
    let answers: LaneAnswers

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<LeanConnection> {
        do {
            try channel.pipeline.syncOperations.addHandler(FastLaneHandler(answers))
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        let value = wrapped.setup(channel: channel, logger: logger)
        // It takes the place that the wrapped kind has no name for: where answers are parts and not yet bytes.
        if let encoder = try? channel.pipeline.syncOperations.handler(type: HTTPResponseEncoder.self) {
            try? channel.pipeline.syncOperations.addHandler(FileSendingHandler(), position: .after(encoder))
        }
        return value.map { value in
            // Only a channel that is closed already takes none.
            try? channel.pipeline.syncOperations.addHandler(LaneShortcut())
            return value
        }
    }

    func handle(value: LeanConnection, logger: Logger) async {
        await wrapped.handle(value: value, logger: logger)
    }
}
