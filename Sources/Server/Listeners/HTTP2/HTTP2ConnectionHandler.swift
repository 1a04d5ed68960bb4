import NIOCore
import NIOHTTP2

/// A handler that performs the actions of ``HTTP2ConnectionState`` on one connection, and counts the tasks that
/// serve its streams. Its position is directly behind the handler that makes streams of frames.
final class HTTP2ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private let idleTimeout: TimeAmount
    private var state = HTTP2ConnectionState()
    private var idleTimer: Scheduled<Void>?
    private var context: ChannelHandlerContext?
    /// The number of stream tasks. A reset stream counts until its task has ended.
    private var tasks = 0
    private var allClosed: EventLoopPromise<Void>?

    /// - Parameter idleTimeout: The maximum time that a connection may have no stream.
    init(idleTimeout: TimeAmount) {
        self.idleTimeout = idleTimeout
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        perform(.startIdleTimer)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        idleTimer?.cancel()
        self.context = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { perform(state.leave()) }
        if case .inputClosed? = event as? ChannelEvent { perform(state.inputClosed()) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// Serves a stream in its own task. Called on the event loop.
    func serve(_ stream: HTTP1ServerConnection, on loop: any EventLoop) {
        tasks += 1
        let handler = NIOLoopBound(self, eventLoop: loop)
        Task {
            await stream.serve()
            loop.execute { handler.value.hasServed() }
        }
    }

    /// Returns a future that completes when no stream is served. Called on the event loop.
    func whenAllClosed(on loop: any EventLoop) -> EventLoopFuture<Void> {
        guard tasks > 0 else { return loop.makeSucceededVoidFuture() }
        let promise = allClosed ?? loop.makePromise()
        allClosed = promise
        return promise.futureResult
    }

    private func hasServed() {
        tasks -= 1
        guard tasks == 0 else { return }
        allClosed?.succeed()
        allClosed = nil
    }

    private func perform(_ action: HTTP2ConnectionState.Action) {
        guard let context else { return }
        switch action {
        case .none: break
        case .startIdleTimer:
            idleTimer?.cancel()
            idleTimer = context.eventLoop.assumeIsolated().scheduleTask(in: idleTimeout) {
                self.perform(self.state.leave())
            }
        case .cancelIdleTimer:
            idleTimer?.cancel()
        case .goAway(let last, let isClosing):
            let payload = HTTP2Frame.FramePayload.goAway(lastStreamID: last, errorCode: .noError, opaqueData: nil)
            context.writeAndFlush(
                wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: payload)), promise: nil)
            if isClosing { context.close(promise: nil) }
        case .close:
            context.close(promise: nil)
        }
    }

    /// A delegate that reports the streams of a connection to its handler, on the event loop.
    struct Streams: NIOHTTP2StreamDelegate {
        let handler: NIOLoopBound<HTTP2ConnectionHandler>

        func streamCreated(_ id: HTTP2StreamID, channel: any Channel) {
            handler.value.perform(handler.value.state.streamOpened(id))
        }

        func streamClosed(_ id: HTTP2StreamID, channel: any Channel) {
            handler.value.perform(handler.value.state.streamClosed())
        }
    }
}
