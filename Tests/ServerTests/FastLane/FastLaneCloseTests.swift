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

    /// An embedded channel is connected when this returns.
    private func connect(_ channel: EmbeddedChannel) throws {
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
    }

    @Test("closes the way out, or the connection, behind its answers", arguments: [CloseMode.output, .all])
    func closing(mode: CloseMode) async throws {
        try await withLane { lane, _ in
            let (channel, socket) = (EmbeddedChannel(), FullSocket())
            try connect(channel)
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

    /// Counts what comes by.
    private final class ReadCounter: ChannelOutboundHandler {
        typealias OutboundIn = NIOAny
        private(set) var reads = 0

        func read(context: ChannelHandlerContext) {
            reads += 1
            context.read()
        }
    }

    @Test("reads on past those who hold nothing, and through them as soon as something is theirs")
    func shortcut() async throws {
        try await withLane { lane, _ in
            let channel = EmbeddedChannel()
            try connect(channel)
            let (before, between) = (ReadCounter(), ReadCounter())
            let operations = channel.pipeline.syncOperations
            try operations.addHandlers([before, FastLaneHandler(lane), between, LaneShortcut()])
            channel.read()
            #expect(before.reads == 1 && between.reads == 0)
            // Answered here.
            try channel.writeInbound(ByteBuffer(string: Self.get("/verify_subscription?token=x")))
            channel.read()
            #expect(between.reads == 0)
            // Not all there, so that it is nobody's here.
            let (seen, all) = (between.reads, before.reads)
            try channel.writeInbound(ByteBuffer(string: "GET /verify_subscription?token=x HTTP/1.1\r\n"))
            channel.read()
            #expect(between.reads > seen && before.reads > all)
            _ = try channel.finish(acceptAlreadyClosed: true)
        }
    }
}
