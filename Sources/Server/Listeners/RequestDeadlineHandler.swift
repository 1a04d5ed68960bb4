import NIOCore
import NIOHTTPTypes

/// A handler that closes the connection if a request is not complete at a deadline after its headers. A body that
/// arrives very slowly would otherwise occupy a task and a place without limit. Source: Pitfall 15, “Request smuggling
/// and parser exhaustion”.
///
/// Only the client's own time counts. While the server does not read, because the client still receives an earlier
/// response, the handler does not close the connection.
final class RequestDeadlineHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = Any
    typealias OutboundOut = Any

    private let deadline: TimeAmount
    private var task: Scheduled<Void>?
    /// A Boolean value that indicates whether a read was requested since the last bytes arrived.
    private var isReading = true
    /// A Boolean value that indicates whether the deadline passed while the server did not read.
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
