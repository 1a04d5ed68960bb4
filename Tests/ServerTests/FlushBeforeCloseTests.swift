import NIOCore
import NIOEmbedded
import Testing

@testable import Server

@Suite("A connection that is closed while its client still has something to take")
struct FlushBeforeCloseTests {
    /// A socket that takes nothing until it is told to.
    private final class FullSocket: ChannelOutboundHandler {
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

    /// Waits for what is written before it closes, as the fast lane does.
    private final class Waiter: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            let loopBound = context.loopBound
            context.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { _ in
                loopBound.value.close(mode: mode, promise: promise)
            }
        }
    }

    private func channel(_ socket: FullSocket) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
        let operations = channel.pipeline.syncOperations
        try operations.addHandler(socket)
        try operations.addHandler(StandstillHandler(patience: .seconds(90)))
        try operations.addHandler(Waiter())
        try operations.addHandler(FlushBeforeCloseHandler())
        return channel
    }

    @Test("Pitfall 17: is closed when its client took nothing for a minute, although it says something now and then")
    func slow() throws {
        let channel = try channel(FullSocket())
        channel.writeAndFlush(ByteBuffer(string: "the rest of an answer"), promise: nil)
        channel.close(promise: nil)
        for _ in 0..<5 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(11))
            // Something moves, so that it does not stand still.
            try channel.writeInbound(ByteBuffer(string: "a"))
            #expect(channel.isActive)
        }
        channel.embeddedEventLoop.advanceTime(by: .seconds(6))
        #expect(!channel.isActive)
        channel.embeddedEventLoop.run()
    }

    @Test(
        "is closed as soon as it has taken everything, also where only the way out is to be closed",
        arguments: [[CloseMode.all], [.output], [.output, .all]])
    func taken(modes: [CloseMode]) throws {
        let socket = FullSocket()
        let channel = try channel(socket)
        channel.writeAndFlush(ByteBuffer(string: "the rest of an answer"), promise: nil)
        for mode in modes { channel.close(mode: mode, promise: nil) }
        #expect(channel.isActive && socket.closed.isEmpty)
        socket.take()
        // The handler before the socket waits for what it wrote itself.
        socket.take()
        #expect(!channel.isActive)
        #expect(socket.closed == modes.suffix(1))
        channel.embeddedEventLoop.run()
    }
}
