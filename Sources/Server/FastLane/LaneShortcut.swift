import NIOCore

/// Passes the wish to read on past the dozen handlers between the end of the pipeline and the fast lane, while these hold nothing:
/// going through them took a twelfth of all that a verification costs that is answered in the lane.
///
/// Those in between have a say in it as soon as something went in that is not answered: they hold reading back when a body is not
/// taken, and time it.
final class LaneShortcut: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = NIOAny
    typealias OutboundOut = NIOAny

    private var lane: (handler: FastLaneHandler, context: ChannelHandlerContext)?

    func handlerAdded(context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        guard let handler = try? pipeline.handler(type: FastLaneHandler.self),
            let place = try? pipeline.context(handler: handler)
        else { return }
        lane = (handler, place)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        lane = nil
    }

    func read(context: ChannelHandlerContext) {
        if let lane, lane.handler.isAlone { lane.context.read() } else { context.read() }
    }
}
