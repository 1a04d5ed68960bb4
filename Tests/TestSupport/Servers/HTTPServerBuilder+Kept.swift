public import HummingbirdCore
import Logging
import NIOCore

extension HTTPServerBuilder {
    /// Hummingbird's own HTTP/1, for a server that tests start with `Application.test(.live)`.
    ///
    /// The client that comes with such a test connects whether or not the test uses it, and may do so in the moment in which the
    /// server stops. Then nobody takes its connection, and NIO ends the program where what would write to a connection goes before
    /// it is closed. Gatefold's own server has a guard against that; this is the same for others.
    public static var kept: HTTPServerBuilder {
        HTTPServerBuilder { KeptChannel(wrapped: HTTP1Channel(responder: $0)) }
    }
}

private struct KeptChannel<Wrapped: ServerChildChannel>: ServerChildChannel {
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
