import NIOCore

/// A handler that passes read requests directly to the ``PlainRequestHandler``, past the dozen handlers between the end
/// of the pipeline and the front, while these hold nothing.
///
/// The handlers in between take part while a request inside awaits its response. They stop reading if a body is not
/// consumed, and they time the reading.
final class ReadShortcutHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = NIOAny
    typealias OutboundOut = NIOAny

    private var front: (handler: PlainRequestHandler, context: ChannelHandlerContext)?

    func handlerAdded(context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        guard let handler = try? pipeline.handler(type: PlainRequestHandler.self),
            let place = try? pipeline.context(handler: handler)
        else { return }
        front = (handler, place)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        front = nil
    }

    func read(context: ChannelHandlerContext) {
        if let front, front.handler.isIdle { front.context.read() } else { context.read() }
    }
}
