public import NIOCore
public import NIOHTTP1
import NIOPosix

/// Lets a ``FileSender`` send files on an HTTP/1 connection without TLS; stands right behind the `HTTPResponseEncoder`.
///
/// While it sends, nobody else writes, and the handlers further in are not told at each region that the connection is full, and
/// then that it is not.
public final class FileSendingHandler: ChannelDuplexHandler, RemovableChannelHandler {
    public typealias InboundIn = NIOAny
    public typealias OutboundIn = HTTPServerResponsePart
    public typealias OutboundOut = HTTPServerResponsePart

    private var context: ChannelHandlerContext?
    private var isSending = false
    /// What the handlers further in know.
    private var isWritable = true

    public init() {}

    public func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    public func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    public func channelWritabilityChanged(context: ChannelHandlerContext) {
        if !isSending { tell(context) }
    }

    private func tell(_ context: ChannelHandlerContext) {
        guard context.channel.isWritable != isWritable else { return }
        isWritable.toggle()
        context.fireChannelWritabilityChanged()
    }

    /// Done when the connection has taken all of the part; fails when it is closed before.
    ///
    /// On the event loop.
    ///
    /// - Parameters:
    ///   - part: not empty.
    ///   - pool: on which files are read.
    func send(_ part: Range<Int64>, of file: OpenFile, reading pool: NIOThreadPool) -> EventLoopFuture<Void> {
        guard let context else { preconditionFailure("found in a pipeline and in none") }
        isSending = true
        let sent = FileTransfer(file, to: part.upperBound, on: context, reading: pool).send(from: part.lowerBound)
        sent.assumeIsolated().whenComplete { _ in
            self.isSending = false
            self.tell(context)
        }
        return sent
    }
}
