import NIOCore

/// Lets what has been written leave before the connection is closed.
///
/// Hummingbird closes a connection right after it wrote the end of the last answer at shutdown, and an idle one after a
/// while. NIO then drops whatever the client has not yet taken, and a download would lack its last kilobytes.
final class FlushBeforeCloseHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = Any
    typealias OutboundOut = Any

    /// For so long a client may take to read the rest: who reads nothing at all does not keep a connection.
    private static let patience = TimeAmount.seconds(60)
    private var writesUnderWay = 0
    private var postponed: EventLoopPromise<Void>?

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        writesUnderWay += 1
        let written = promise ?? context.eventLoop.makePromise()
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        written.futureResult.whenComplete { _ in
            let (handler, context) = loopBound.value
            handler.writesUnderWay -= 1
            if handler.writesUnderWay == 0 { handler.closeNow(context) }
        }
        context.write(data, promise: written)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .all, writesUnderWay > 0 else {
            context.close(mode: mode, promise: promise)
            return
        }
        if let postponed {
            postponed.futureResult.cascade(to: promise)
            return
        }
        let closed = promise ?? context.eventLoop.makePromise()
        postponed = closed
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let patience = context.eventLoop.scheduleTask(in: Self.patience) {
            let (handler, context) = loopBound.value
            handler.closeNow(context)
        }
        closed.futureResult.whenComplete { _ in patience.cancel() }
        context.flush()
    }

    private func closeNow(_ context: ChannelHandlerContext) {
        guard let postponed else { return }
        self.postponed = nil
        context.close(promise: postponed)
    }
}
