import NIOCore

/// A handler that resets an HTTP/2 stream whose client receives nothing of a response. Its position is directly
/// behind the stream's codec.
///
/// Frames of other streams and PING frames keep the connection active for ``StallTimeoutHandler``, so each stream
/// needs its own time limit. Source: Pitfall 15, “Request smuggling and parser exhaustion”. Source: Pitfall 17,
/// “Ranges and large files turned against the gate”.
final class StalledStreamHandler: ChannelDuplexHandler, NIOScheduledCallbackHandler {
    typealias InboundIn = NIOAny
    typealias OutboundIn = NIOAny

    private let stallTimeout: TimeAmount
    private var context: ChannelHandlerContext?
    private var timer: NIOScheduledCallback?
    private var unwritten = 0
    private var hasMoved = false

    /// - Parameter stallTimeout: The time limit. A stream is reset after this time at the earliest, and after twice
    ///   this time at the latest.
    init(stallTimeout: TimeAmount) {
        self.stallTimeout = stallTimeout
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
        timer = try? context.eventLoop.assumeIsolated().scheduleCallback(in: stallTimeout, handler: self)
    }
}
