import Gatefold
import NIOCore
import NIOEmbedded
import Testing

@testable import Server

extension FastLaneTests {
    /// A socket that takes nothing until it is told to.
    private final class FullSocket: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private(set) var closed: [CloseMode] = []
        private var waiting: [EventLoopPromise<Void>] = []

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if let promise { waiting.append(promise) }
        }

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            closed.append(mode)
            context.close(mode: .all, promise: promise)
        }

        func take() {
            while let promise = waiting.popLast() { promise.succeed() }
        }
    }

    @Test("closes the way out, or the connection, behind its answers", arguments: [CloseMode.output, .all])
    func closing(mode: CloseMode) async throws {
        try await withLane { lane, _ in
            let (channel, socket) = (EmbeddedChannel(), FullSocket())
            try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
            let operations = channel.pipeline.syncOperations
            try operations.addHandlers([socket, FastLaneHandler(lane)])
            try channel.writeInbound(ByteBuffer(string: Self.get("/verify_subscription?token=x")))
            channel.close(mode: mode, promise: nil)
            #expect(socket.closed.isEmpty)
            socket.take()
            #expect(socket.closed == [mode])
            channel.embeddedEventLoop.run()
        }
    }
}
