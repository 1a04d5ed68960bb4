import ContentGate
import NIOCore

/// A handler that lets written bytes leave before the connection is closed.
///
/// Hummingbird closes a connection directly after it wrote the end of the last response at shutdown, and closes an
/// idle connection after a timeout. It also closes the outbound side if the client has closed its sending side,
/// which NIO treats as closing the whole connection. NIO then drops all bytes that the client has not received, so
/// a download would lack its last kilobytes.
final class FlushBeforeCloseHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = Any
    typealias OutboundOut = Any

    /// The time within which a client must receive some of the remaining bytes: 60 s. A client that reads nothing
    /// does not hold a connection.
    private static let stallTimeout = TimeAmount.seconds(60)
    private var writesInFlight = 0
    private var postponed: (mode: CloseMode, promise: EventLoopPromise<Void>)?
    private var watch: Scheduled<Void>?

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        writesInFlight += 1
        let written = promise ?? context.eventLoop.makePromise()
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        written.futureResult.whenComplete { _ in
            let (handler, context) = loopBound.value
            handler.writesInFlight -= 1
            if handler.writesInFlight == 0 { handler.closeNow(context) }
        }
        context.write(data, promise: written)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode != .input, writesInFlight > 0 else {
            context.close(mode: mode, promise: promise)
            return
        }
        if let postponed {
            if mode == .all { self.postponed?.mode = .all }
            postponed.promise.futureResult.cascade(to: promise)
            return
        }
        postponed = (mode, promise ?? context.eventLoop.makePromise())
        watchProgress(context, unsent(context))
        context.flush()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        watch?.cancel()
    }

    private func watchProgress(_ context: ChannelHandlerContext, _ left: Int) {
        watch = context.eventLoop.assumeIsolated().scheduleTask(in: Self.stallTimeout) {
            let now = self.unsent(context)
            if now < left { self.watchProgress(context, now) } else { self.abort(context) }
        }
    }

    /// Returns the number of unsent bytes, or 0 if the channel does not report it.
    private func unsent(_ context: ChannelHandlerContext) -> Int {
        (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    /// Closes the connection at once. Outer handlers also wait for written bytes, so the handler next to the socket
    /// receives an order to close.
    private func abort(_ context: ChannelHandlerContext) {
        let closeMode: ConnectionCloseMode = .abort
        context.triggerUserOutboundEvent(closeMode, promise: nil)
        closeNow(context)
    }

    private func closeNow(_ context: ChannelHandlerContext) {
        guard let postponed else { return }
        self.postponed = nil
        watch?.cancel()
        context.close(mode: postponed.mode, promise: postponed.promise)
    }
}
