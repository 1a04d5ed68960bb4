import NIOCore
import NIOHTTPTypes

/// Closes the connection, or the HTTP/2 stream, whose request is not whole in time after its headers: a body that drips would
/// otherwise hold a task and a place for ever (PITFALLS row 15).
final class RequestDeadlineHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private let deadline: TimeAmount
    private var task: Scheduled<Void>?

    init(deadline: TimeAmount) {
        self.deadline = deadline
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: task = context.eventLoop.assumeIsolated().scheduleTask(in: deadline) { context.close(promise: nil) }
        case .body: break
        case .end: task?.cancel()
        }
        context.fireChannelRead(data)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        task?.cancel()
    }
}
