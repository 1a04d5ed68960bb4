import NIOCore

/// A handler that joins the frames of several responses, so that TLS sends them in one record. Its position is between
/// TLS and the handler that encodes frames.
///
/// A response consists of a frame with its head, the nine bytes before its body, and its body. TLS would encrypt each of
/// them separately.
final class FrameCollector: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = ByteBuffer

    /// The maximum number of bytes in one record of TLS.
    private static let limit = 16 << 10
    /// The size of the memory that a connection retains between responses.
    private static let retained = 1024

    private var collected = ByteBuffer()
    /// A Boolean value that indicates whether TLS has the collected bytes. It has usually released them when the
    /// memory is needed again, so they are cleared only then.
    private var isPassed = true
    private var promise: EventLoopPromise<Void>?

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .byteBuffer(let bytes) = unwrapOutboundIn(data) else {
            promise?.fail(ChannelError.operationUnsupported)
            return
        }
        if !isPassed, collected.readableBytes + bytes.readableBytes > Self.limit { pass(context) }
        if bytes.readableBytes >= Self.limit {
            context.write(wrapOutboundOut(bytes), promise: promise)
            return
        }
        if isPassed { clear(context) }
        collected.writeImmutableBuffer(bytes)
        guard let promise else { return }
        if let first = self.promise { first.futureResult.cascade(to: promise) } else { self.promise = promise }
    }

    func flush(context: ChannelHandlerContext) {
        pass(context)
        context.flush()
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if !isPassed { flush(context: context) }
        context.close(mode: mode, promise: promise)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        promise.take()?.fail(ChannelError.ioOnClosedChannel)
    }

    private func pass(_ context: ChannelHandlerContext) {
        if isPassed { return }
        isPassed = true
        context.write(wrapOutboundOut(collected), promise: promise.take())
        if collected.capacity > Self.retained { collected = ByteBuffer() }
    }

    private func clear(_ context: ChannelHandlerContext) {
        isPassed = false
        if collected.capacity == 0 {
            collected = context.channel.allocator.buffer(capacity: Self.retained)
        } else {
            collected.clear()
        }
    }
}
