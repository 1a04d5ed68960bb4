import NIOCore
import NIOEmbedded
import Primitives
import Testing

@testable import Server

@Suite("Connection closed with pending output")
struct FlushBeforeCloseTests {
    /// A socket that accepts writes only on request.
    private final class BlockedSocket: ChannelOutboundHandler {
        typealias OutboundIn = NIOAny

        private(set) var closed: [CloseMode] = []
        private var waiting: [EventLoopPromise<Void>] = []

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if let promise { waiting.append(promise) }
        }

        func take() {
            while let promise = waiting.popLast() { promise.succeed(()) }
        }

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            closed.append(mode)
            context.close(mode: .all, promise: promise)
        }

        func handlerRemoved(context: ChannelHandlerContext) {
            while let promise = waiting.popLast() { promise.fail(ChannelError.ioOnClosedChannel) }
        }
    }

    /// Waits for pending writes before it closes, as ``PlainRequestHandler`` does.
    private final class OneShotPromise: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            let loopBound = context.loopBound
            context.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { _ in
                loopBound.value.close(mode: mode, promise: promise)
            }
        }
    }

    private func channel(_ socket: BlockedSocket) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
        let operations = channel.pipeline.syncOperations
        try operations.addHandler(socket)
        try operations.addHandler(StallTimeoutHandler(stallTimeout: .seconds(90)))
        try operations.addHandler(OneShotPromise())
        try operations.addHandler(FlushBeforeCloseHandler())
        return channel
    }

    @Test("Pitfall 17: closes after a minute in which the client read nothing, despite occasional input")
    func slow() throws {
        let channel = try channel(BlockedSocket())
        channel.writeAndFlush(ByteBuffer(string: "the rest of a response"), promise: nil)
        channel.close(promise: nil)
        for _ in 0..<5 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(11))
            // Input prevents the stall timeout.
            try channel.writeInbound(ByteBuffer(string: "a"))
            #expect(channel.isActive)
        }
        channel.embeddedEventLoop.advanceTime(by: .seconds(6))
        #expect(!channel.isActive)
        channel.embeddedEventLoop.run()
    }

    @Test(
        "Closes as soon as all output is written, even if only the output was to be closed",
        arguments: [[CloseMode.all], [.output], [.output, .all]])
    func taken(modes: [CloseMode]) throws {
        let socket = BlockedSocket()
        let channel = try channel(socket)
        channel.writeAndFlush(ByteBuffer(string: "the rest of a response"), promise: nil)
        for mode in modes { channel.close(mode: mode, promise: nil) }
        #expect(channel.isActive && socket.closed.isEmpty)
        socket.take()
        // The handler before the socket waits for its own write.
        socket.take()
        #expect(!channel.isActive)
        #expect(socket.closed == modes.suffix(1))
        channel.embeddedEventLoop.run()
    }
}
