public import NIOCore
public import NIOHTTP1
public import NIOPosix

/// Lets a ``FileSender`` send files on an HTTP/1 connection without TLS; stands right behind the `HTTPResponseEncoder`.
public final class FileSendingHandler: ChannelOutboundHandler, RemovableChannelHandler {
    public typealias OutboundIn = HTTPServerResponsePart
    public typealias OutboundOut = HTTPServerResponsePart

    /// So often a file is looked at whose bytes are under way. One that was made shorter has nothing left to send, and the
    /// connection would wait for it in vain, and busily.
    private static let glance = TimeAmount.seconds(1)
    /// A thread of its own: where files lie on another machine, a look may wait for it, and an event loop may not. Nor do looks
    /// wait behind the files that are read, or these behind looks.
    private static let watchers: NIOThreadPool = {
        let pool = NIOThreadPool(numberOfThreads: 1)
        pool.start()
        return pool
    }()

    private let pool: NIOThreadPool
    private var context: ChannelHandlerContext?

    public convenience init() {
        self.init(pool: Self.watchers)
    }

    /// - Parameter pool: on which files are looked at.
    public init(pool: NIOThreadPool) {
        self.pool = pool
    }

    public func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    public func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// On the event loop. The file stays open until the future is done.
    func send(_ file: OpenFile, _ part: Range<Int64>) -> EventLoopFuture<Void> {
        guard let context else { preconditionFailure("found in a pipeline and in none") }
        let sent = context.eventLoop.makePromise(of: Void.self)
        let watch = watch(file, on: context.channel)
        sent.futureResult.whenComplete { _ in
            watch.cancel()
            withExtendedLifetime(file) {}
        }
        context.writeAndFlush(wrapOutboundOut(.body(.fileRegion(file.region(part)))), promise: sent)
        return sent.futureResult
    }

    private func watch(_ file: OpenFile, on channel: any Channel) -> RepeatedTask {
        let loop = channel.eventLoop
        return loop.scheduleRepeatedAsyncTask(initialDelay: Self.glance, delay: Self.glance) { [pool] _ in
            pool.runIfActive(eventLoop: loop) { file.isUnchanged }.map { isUnchanged in
                if !isUnchanged { ConnectionOrder.giveUp(channel) }
            }
        }
    }
}
