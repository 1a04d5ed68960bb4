import ContentGate
import NIOCore

/// Lets what has been written leave before the connection is closed.
///
/// Hummingbird closes a connection right after it wrote the end of the last answer at shutdown, and an idle one after a
/// while; and the way out of one whose client has said all it will, which NIO takes for the whole connection. NIO then drops
/// whatever the client has not yet taken, and a download would lack its last kilobytes.
final class FlushBeforeCloseHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = Any
    typealias OutboundOut = Any

    /// In so long a client has to take something of the rest: who reads nothing at all does not keep a connection.
    private static let patience = TimeAmount.seconds(60)
    /// Whether this is a stream of HTTP/2, which has no socket of its own to ask.
    private let isStream: Bool
    private var writesUnderWay = 0
    private var postponed: (mode: CloseMode, promise: EventLoopPromise<Void>)?
    private var watch: Scheduled<Void>?

    init(ofStream isStream: Bool = false) {
        self.isStream = isStream
    }

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
        guard mode != .input, writesUnderWay > 0 else {
            context.close(mode: mode, promise: promise)
            return
        }
        if let postponed {
            if mode == .all { self.postponed?.mode = .all }
            postponed.promise.futureResult.cascade(to: promise)
            return
        }
        postponed = (mode, promise ?? context.eventLoop.makePromise())
        keepWatch(context, unsent(context))
        context.flush()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        watch?.cancel()
    }

    private func keepWatch(_ context: ChannelHandlerContext, _ left: Int) {
        watch = context.eventLoop.assumeIsolated().scheduleTask(in: Self.patience) {
            let now = self.unsent(context)
            if now < left { self.keepWatch(context, now) } else { self.giveUp(context) }
        }
    }

    /// In bytes, of a stream in writes; none where the channel can not say.
    private func unsent(_ context: ChannelHandlerContext) -> Int {
        if isStream { return writesUnderWay }
        return (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    /// Handlers further out wait for what is written as well: only the one next to the socket closes at once.
    private func giveUp(_ context: ChannelHandlerContext) {
        let order: ConnectionOrder = .giveUp
        context.triggerUserOutboundEvent(order, promise: nil)
        closeNow(context)
    }

    private func closeNow(_ context: ChannelHandlerContext) {
        guard let postponed else { return }
        self.postponed = nil
        watch?.cancel()
        context.close(mode: postponed.mode, promise: postponed.promise)
    }
}
