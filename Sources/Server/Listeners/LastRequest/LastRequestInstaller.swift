import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Has a connection end after its last request, where it is one of HTTP/1: the handlers for that stand at places for which a
/// kind of connection has no name, and it goes when they are there. On a stream of HTTP/2 it does nothing.
final class LastRequestInstaller: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart

    func handlerAdded(context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        guard let parser = try? pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self) else { return }
        let drain = DrainHandler()
        do {
            try pipeline.addHandler(drain, position: .before(parser))
            try pipeline.addHandler(LastRequestHandler(drain), position: .after(parser))
            pipeline.removeHandler(context: context, promise: nil)
        } catch {
            // The connection is gone already.
            context.close(promise: nil)
        }
    }
}
