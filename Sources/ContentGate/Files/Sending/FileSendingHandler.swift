public import NIOCore
public import NIOHTTP1
import NIOPosix

/// A handler that lets a ``FileSender`` send files on an HTTP/1 connection without TLS. Its place is right behind
/// the `HTTPResponseEncoder`.
///
/// During a transfer no other code writes. The inner handlers receive no writability changes for each region.
public final class FileSendingHandler: ChannelDuplexHandler, RemovableChannelHandler {
    public typealias InboundIn = NIOAny
    public typealias OutboundIn = HTTPServerResponsePart
    public typealias OutboundOut = HTTPServerResponsePart

    private var context: ChannelHandlerContext?
    private var isSending = false
    /// The writability that the inner handlers last received.
    private var isWritable = true

    public init() {}

    public func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    public func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    public func channelWritabilityChanged(context: ChannelHandlerContext) {
        if !isSending { notify(context) }
    }

    private func notify(_ context: ChannelHandlerContext) {
        guard context.channel.isWritable != isWritable else { return }
        isWritable.toggle()
        context.fireChannelWritabilityChanged()
    }

    /// Sends a part of a file. Call it on the event loop.
    ///
    /// - Parameters:
    ///   - part: The range to send. Not empty.
    ///   - pool: The pool on which files are read.
    /// - Returns: A future that succeeds when the connection has accepted the whole part, and fails if the
    ///   connection closes earlier.
    func send(_ part: Range<Int64>, of file: OpenFile, reading pool: NIOThreadPool) -> EventLoopFuture<Void> {
        guard let context else { preconditionFailure("the handler is in a pipeline and in none") }
        isSending = true
        let sent = FileTransfer(file, to: part.upperBound, on: context, reading: pool).send(from: part.lowerBound)
        sent.assumeIsolated().whenComplete { _ in
            self.isSending = false
            self.notify(context)
        }
        return sent
    }
}
