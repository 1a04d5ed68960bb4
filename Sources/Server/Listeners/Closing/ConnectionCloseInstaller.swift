import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// A handler that installs the handlers that end an HTTP/1 connection after its last request, and then removes
/// itself. Their positions cannot be given in a channel's configuration. On an HTTP/2 stream, this handler does
/// nothing.
final class ConnectionCloseInstaller: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart

    func handlerAdded(context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        guard let parser = try? pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self) else { return }
        let drain = DrainHandler()
        do {
            try pipeline.addHandler(drain, position: .before(parser))
            try pipeline.addHandler(ConnectionCloseHandler(drain), position: .after(parser))
            pipeline.removeHandler(context: context, promise: nil)
        } catch {
            // The connection is already closed.
            context.close(promise: nil)
        }
    }
}
