import NIOCore
import NIOEmbedded
import Testing

@testable import Server

extension PlainRequestServingTests {
    /// A socket that accepts writes only on request.
    private final class BlockedSocket: ChannelOutboundHandler {
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

    /// Connects an embedded channel.
    private func connect(_ channel: EmbeddedChannel) throws {
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
    }

    @Test("Closes the output or the connection after its responses", arguments: [CloseMode.output, .all])
    func closing(mode: CloseMode) async throws {
        try await withRouter { router in
            let (channel, socket) = (EmbeddedChannel(), BlockedSocket())
            try connect(channel)
            let operations = channel.pipeline.syncOperations
            try operations.addHandlers([socket, PlainRequestHandler(Self.responder(router))])
            try channel.writeInbound(ByteBuffer(string: Self.get("/verify_subscription?token=x")))
            channel.close(mode: mode, promise: nil)
            #expect(socket.closed.isEmpty)
            socket.take()
            #expect(socket.closed == [mode])
            channel.embeddedEventLoop.run()
        }
    }

    /// Counts read calls.
    private final class ReadCounter: ChannelOutboundHandler {
        typealias OutboundIn = NIOAny
        private(set) var accepts = 0

        func read(context: ChannelHandlerContext) {
            accepts += 1
            context.read()
        }
    }

    @Test("Reads bypass handlers without pending requests, and pass through them otherwise")
    func shortcut() async throws {
        try await withRouter { router in
            let channel = EmbeddedChannel()
            try connect(channel)
            let (before, between) = (ReadCounter(), ReadCounter())
            let operations = channel.pipeline.syncOperations
            try operations.addHandlers([
                before, PlainRequestHandler(Self.responder(router)), between, ReadShortcutHandler(),
            ])
            channel.read()
            #expect(before.accepts == 1 && between.accepts == 0)
            // The response is complete at once.
            try channel.writeInbound(ByteBuffer(string: Self.get("/verify_subscription?token=x")))
            channel.read()
            #expect(between.accepts == 0)
            // An incomplete request passes inside.
            let (seen, all) = (between.accepts, before.accepts)
            try channel.writeInbound(ByteBuffer(string: "GET /verify_subscription?token=x HTTP/1.1\r\n"))
            channel.read()
            #expect(between.accepts > seen && before.accepts > all)
            _ = try channel.finish(acceptAlreadyClosed: true)
        }
    }
}
