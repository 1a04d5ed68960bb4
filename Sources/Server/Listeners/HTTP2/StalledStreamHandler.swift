import NIOCore

/// Resets a stream of HTTP/2 whose client takes nothing of a response; stands right behind the stream's codec.
///
/// Frames of other streams, and PING, keep the connection from standing still (``StandstillHandler``), so that each stream needs
/// a watch of its own (PITFALLS rows 15 and 17).
final class StalledStreamHandler: ChannelDuplexHandler, NIOScheduledCallbackHandler {
    typealias InboundIn = NIOAny
    typealias OutboundIn = NIOAny

    private let patience: TimeAmount
    private var context: ChannelHandlerContext?
    private var timer: NIOScheduledCallback?
    private var unwritten = 0
    private var hasMoved = false

    /// - Parameter patience: a stream is reset after that long at the earliest, and twice that long at the latest.
    init(patience: TimeAmount) {
        self.patience = patience
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if unwritten == 0 {
            hasMoved = true
            schedule(context)
        }
        unwritten += 1
        let written = promise ?? context.eventLoop.makePromise()
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        written.futureResult.whenComplete { _ in handler.value.hasWritten() }
        context.write(data, promise: written)
    }

    func handleScheduledCallback(eventLoop: some EventLoop) {
        guard let context, unwritten > 0 else { return }
        if hasMoved {
            hasMoved = false
            schedule(context)
        } else {
            context.close(promise: nil)
        }
    }

    private func hasWritten() {
        unwritten -= 1
        hasMoved = true
        if unwritten == 0 { timer?.cancel() }
    }

    private func schedule(_ context: ChannelHandlerContext) {
        timer?.cancel()
        timer = try? context.eventLoop.assumeIsolated().scheduleCallback(in: patience, handler: self)
    }
}
