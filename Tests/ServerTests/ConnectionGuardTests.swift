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

@Suite("A connection that holds a place and does not use it")
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

    @Test("Pitfall 15: is closed when nothing moves")
    func silent() throws {
        let channel = try channel(StandstillHandler(patience: .seconds(60)))
        channel.embeddedEventLoop.advanceTime(by: .seconds(59))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(61))
        #expect(!channel.isActive)
    }

    @Test("stays while it says something now and then")
    func talkative() throws {
        let channel = try channel(StandstillHandler(patience: .seconds(60)))
        for _ in 0..<20 {
            try channel.writeInbound(ByteBuffer(string: "a"))
            channel.embeddedEventLoop.advanceTime(by: .seconds(50))
        }
        #expect(channel.isActive)
    }

    @Test("stays while its reader takes what it is sent")
    func downloading() throws {
        let channel = try channel(StandstillHandler(patience: .seconds(60)))
        for _ in 0..<20 {
            channel.writeAndFlush(ByteBuffer(string: "a"), promise: nil)
            channel.embeddedEventLoop.advanceTime(by: .seconds(50))
        }
        #expect(channel.isActive)
    }

    @Test("Pitfall 17: is closed when its reader takes nothing of what waits")
    func stalled() throws {
        let channel = try channel(StandstillHandler(patience: .seconds(60)))
        // Written and not flushed: it waits in the channel.
        channel.write(ByteBuffer(string: "a"), promise: nil)
        channel.embeddedEventLoop.advanceTime(by: .seconds(60))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(120))
        #expect(!channel.isActive)
    }

    @Test("Pitfall 15: is closed when a request's body drips")
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

    @Test("stays while a request waits because nobody here reads it, and has its time once somebody does")
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

    @Test("stays when the request was whole in time, however long the answer takes")
    func wholeRequest() throws {
        let channel = try channel(RequestDeadlineHandler(deadline: .seconds(30)))
        try channel.writeInbound(HTTPRequestPart.head(.init(method: .post, scheme: nil, authority: nil, path: "/")))
        try channel.writeInbound(HTTPRequestPart.end(nil))
        channel.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(channel.isActive)
    }

    /// As the server's own, but for what is said on it.
    private struct PlainChannel: ServerChildChannel {
        func setup(
            channel: any Channel, logger: Logger
        ) -> EventLoopFuture<NIOAsyncChannel<ByteBuffer, ByteBuffer>> {
            channel.eventLoop.makeCompletedFuture { try NIOAsyncChannel(wrappingChannelSynchronously: channel) }
        }

        func handle(value: NIOAsyncChannel<ByteBuffer, ByteBuffer>, logger: Logger) async {}
    }

    @Test("brings nothing down when nobody takes it, because the server stops in this moment")
    func untaken() throws {
        let channel = EmbeddedChannel()
        let guarded = GuardedChannel(wrapped: PlainChannel(), patience: .seconds(60))
        _ = try guarded.setup(channel: channel, logger: Logger(label: "test")).wait()
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
        #expect(channel.isActive)
        channel.close(promise: nil)
        channel.embeddedEventLoop.run()
    }

    @Test("is closed when its TLS handshake does not come to an end")
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
        // Whoever waits for the handshake further in hears of it.
        #expect(witness.events == 1)
    }

    @Test("is closed when the server stops during its TLS handshake, and left to those further in when it stops later")
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

    /// Works until it is cancelled, and notes whether the connection was open then.
    private struct EndlessChannel: ServerChildChannel {
        struct Value: ServerChildChannelValue {
            let channel: any Channel
        }

        let begun = Door()
        let cancelled = Door()
        let wasOpen = Kept<Bool?>(nil)

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

    @Test("is closed before its work is cancelled where it may carry streams, of which the next would be nobody's")
    func closedFirst() async throws {
        let channel = NIOAsyncTestingChannel()
        let endless = EndlessChannel()
        let guarded = GuardedChannel(wrapped: endless, patience: .seconds(60), mayCarryStreams: true)
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
