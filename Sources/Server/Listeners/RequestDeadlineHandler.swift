import NIOCore
import NIOHTTPTypes

/// Closes the connection, or the HTTP/2 stream, whose request is not whole in time after its headers: a body that drips would
/// otherwise hold a task and a place for ever (PITFALLS row 15).
///
/// The client has the time that it has: while nobody here reads, because an answer before is still being taken, none passes.
final class RequestDeadlineHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = Any
    typealias OutboundOut = Any

    private let deadline: TimeAmount
    private var task: Scheduled<Void>?
    /// Whether more was asked for since something came.
    private var isReading = true
    /// Whether the time ran out while nobody read.
    private var isOverdue = false

    init(deadline: TimeAmount) {
        self.deadline = deadline
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: begin(context)
        case .body: break
        case .end:
            task?.cancel()
            isOverdue = false
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isReading = false
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        isReading = true
        if isOverdue { begin(context) }
        context.read()
    }

    private func begin(_ context: ChannelHandlerContext) {
        isOverdue = false
        task = context.eventLoop.assumeIsolated().scheduleTask(in: deadline) {
            if self.isReading { context.close(promise: nil) } else { self.isOverdue = true }
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        task?.cancel()
    }
}
