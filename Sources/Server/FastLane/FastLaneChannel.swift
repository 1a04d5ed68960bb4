import HummingbirdCore
import Logging
import NIOCore

/// A kind of HTTP/1 connection with a fast lane in front.
struct FastLaneChannel<Wrapped: ServerChildChannel>: ServerChildChannel {
    let wrapped: Wrapped
    let answers: LaneAnswers

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Wrapped.Value> {
        do {
            try channel.pipeline.syncOperations.addHandler(FastLaneHandler(answers))
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        return wrapped.setup(channel: channel, logger: logger).map { value in
            // Only a channel that is closed already takes none.
            try? channel.pipeline.syncOperations.addHandler(LaneShortcut())
            return value
        }
    }

    func handle(value: Wrapped.Value, logger: Logger) async {
        await wrapped.handle(value: value, logger: logger)
    }
}
