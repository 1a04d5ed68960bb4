import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import NIOTLS
import TestSupport
import Testing

@testable import Server

@Suite("Timeouts of unused connections")
struct ConnectionGuardTests {
    private final class Witness: ChannelInboundHandler {
        typealias InboundIn = NIOAny
        var events = 0

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) { events += 1 }
    }

    private func channel(_ handler: any ChannelHandler) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
        try channel.pipeline.syncOperations.addHandler(handler)
        return channel
    }

    @Test("Pitfall 15: closes a connection without activity")
    func silent() throws {
        let channel = try channel(StallTimeoutHandler(stallTimeout: .seconds(60)))
        channel.embeddedEventLoop.advanceTime(by: .seconds(59))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(61))
        #expect(!channel.isActive)
    }

    @Test("Keeps a connection with occasional input")
    func talkative() throws {
        let channel = try channel(StallTimeoutHandler(stallTimeout: .seconds(60)))
        for _ in 0..<20 {
            try channel.writeInbound(ByteBuffer(string: "a"))
            channel.embeddedEventLoop.advanceTime(by: .seconds(50))
        }
        #expect(channel.isActive)
    }

    @Test("Keeps a connection whose client reads the response")
    func downloading() throws {
        let channel = try channel(StallTimeoutHandler(stallTimeout: .seconds(60)))
        for _ in 0..<20 {
            channel.writeAndFlush(ByteBuffer(string: "a"), promise: nil)
            channel.embeddedEventLoop.advanceTime(by: .seconds(50))
        }
        #expect(channel.isActive)
    }

    @Test("Pitfall 17: closes a connection whose client reads nothing of the pending response")
    func stalled() throws {
        let channel = try channel(StallTimeoutHandler(stallTimeout: .seconds(60)))
        // Written but not flushed, so it waits in the channel.
        channel.write(ByteBuffer(string: "a"), promise: nil)
        channel.embeddedEventLoop.advanceTime(by: .seconds(60))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(120))
        #expect(!channel.isActive)
    }

    @Test("Pitfall 15: closes a connection whose request body drips")
    func drippingBody() throws {
        let channel = try channel(RequestDeadlineHandler(deadline: .seconds(30)))
        try channel.writeInbound(HTTPRequestPart.head(.init(method: .post, scheme: nil, authority: nil, path: "/")))
        for _ in 0..<29 {
            try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "a")))
            channel.read()
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        }
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test("A body that the server does not read does not time out, and its deadline starts with the first read")
    func unreadBody() throws {
        let channel = try channel(RequestDeadlineHandler(deadline: .seconds(30)))
        try channel.writeInbound(HTTPRequestPart.head(.init(method: .post, scheme: nil, authority: nil, path: "/")))
        channel.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(channel.isActive)
        channel.read()
        channel.embeddedEventLoop.advanceTime(by: .seconds(29))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test("Keeps a connection after a complete request, however long the response takes")
    func completeRequest() throws {
        let channel = try channel(RequestDeadlineHandler(deadline: .seconds(30)))
        try channel.writeInbound(HTTPRequestPart.head(.init(method: .post, scheme: nil, authority: nil, path: "/")))
        try channel.writeInbound(HTTPRequestPart.end(nil))
        channel.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(channel.isActive)
    }

    /// Equals the server's own channel, without its protocol.
    private struct PlainChannel: ServerChildChannel {
        func setup(
            channel: any Channel, logger: Logger
        ) -> EventLoopFuture<NIOAsyncChannel<ByteBuffer, ByteBuffer>> {
            channel.eventLoop.makeCompletedFuture { try NIOAsyncChannel(wrappingChannelSynchronously: channel) }
        }

        func handle(value: NIOAsyncChannel<ByteBuffer, ByteBuffer>, logger: Logger) async {}
    }

    @Test("A connection accepted during shutdown and never handled causes no crash")
    func untaken() throws {
        let channel = EmbeddedChannel()
        let guarded = TimeoutGuardedChannel(wrapped: PlainChannel(), stallTimeout: .seconds(60))
        _ = try guarded.setup(channel: channel, logger: Logger(label: "test")).wait()
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
        #expect(channel.isActive)
        channel.close(promise: nil)
        channel.embeddedEventLoop.run()
    }

    @Test("Closes a connection whose TLS handshake does not complete")
    func handshake() throws {
        let late = try channel(HandshakeDeadlineHandler(deadline: .seconds(60)))
        late.embeddedEventLoop.advanceTime(by: .seconds(60))
        #expect(!late.isActive)
        let prompt = try channel(HandshakeDeadlineHandler(deadline: .seconds(60)))
        let witness = Witness()
        try prompt.pipeline.syncOperations.addHandler(witness)
        prompt.pipeline.fireUserInboundEventTriggered(TLSUserEvent.handshakeCompleted(negotiatedProtocol: nil))
        prompt.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(prompt.isActive)
        // Handlers further in receive the handshake event.
        #expect(witness.events == 1)
    }

    @Test("A server stop closes a connection during its handshake and passes the event on after it")
    func stopDuringHandshake() throws {
        let shaking = try channel(HandshakeDeadlineHandler(deadline: .seconds(60)))
        shaking.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        #expect(!shaking.isActive)
        shaking.embeddedEventLoop.run()
        let shaken = try channel(HandshakeDeadlineHandler(deadline: .seconds(60)))
        let witness = Witness()
        try shaken.pipeline.syncOperations.addHandler(witness)
        shaken.pipeline.fireUserInboundEventTriggered(TLSUserEvent.handshakeCompleted(negotiatedProtocol: nil))
        shaken.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        #expect(shaken.isActive)
        #expect(witness.events == 2)
    }

    /// Works until it is cancelled, and records whether the connection was open then.
    private struct EndlessChannel: ServerChildChannel {
        struct Value: ServerChildChannelValue {
            let channel: any Channel
        }

        let begun = ManualLatch()
        let cancelled = ManualLatch()
        let wasOpen = Locked<Bool?>(nil)

        func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
            channel.eventLoop.makeSucceededFuture(Value(channel: channel))
        }

        func handle(value: Value, logger: Logger) async {
            await withTaskCancellationHandler {
                begun.open()
                await cancelled.pass()
            } onCancel: {
                wasOpen.withLock { $0 = value.channel.isActive }
                cancelled.open()
            }
        }
    }

    @Test("Closes a connection with streams before its work is cancelled, so no new stream is lost")
    func closedFirst() async throws {
        let channel = NIOAsyncTestingChannel()
        let endless = EndlessChannel()
        let guarded = TimeoutGuardedChannel(wrapped: endless, stallTimeout: .seconds(60), mayCarryStreams: true)
        let logger = Logger(label: "test")
        let value = try await channel.eventLoop.flatSubmit { guarded.setup(channel: channel, logger: logger) }.get()
        try await channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).get()
        let work = Task { await guarded.handle(value: value, logger: logger) }
        await endless.begun.pass()
        #expect(channel.isActive)
        work.cancel()
        await work.value
        #expect(endless.wasOpen.withLock { $0 } == false)
    }
}
