public import HummingbirdCore
import Logging
import NIOCore

extension HTTPServerBuilder {
    /// Hummingbird's own HTTP/1 for a server that tests start with `Application.test(.live)`.
    ///
    /// The client of such a test connects even if the test does not use it, possibly while the server stops. The
    /// connection then has no owner, and NIO traps if a pending write reaches it before it is closed. Gatefold's own
    /// server has a guard against that, and this is the equivalent for others.
    public static var channelRetaining: HTTPServerBuilder {
        HTTPServerBuilder { RetainedChannel(wrapped: HTTP1Channel(responder: $0)) }
    }
}

private struct RetainedChannel<Wrapped: ServerChildChannel>: ServerChildChannel {
    let wrapped: Wrapped

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Wrapped.Value> {
        wrapped.setup(channel: channel, logger: logger).map { value in
            channel.closeFuture.whenComplete { _ in withExtendedLifetime(value) {} }
            return value
        }
    }

    func handle(value: Wrapped.Value, logger: Logger) async {
        await wrapped.handle(value: value, logger: logger)
    }
}
