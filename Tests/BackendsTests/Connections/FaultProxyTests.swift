import NIOCore
import NIOPosix
import TestSupport
import Testing

/// Other tests depend on the proxy: if it did nothing, they could not fail.
@Suite("Fault proxy") struct FaultProxyTests {
    /// Returns the bytes from a server that sends `hello` after each message, or nil for a reset or rejected
    /// connection.
    private func receives(through port: Int, sending messages: Int = 1) async -> [UInt8]? {
        do {
            let client = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connect(host: "127.0.0.1", port: port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                    }
                }
            return try await client.executeThenClose { inbound, outbound in
                var heard: [UInt8] = []
                try await outbound.write(ByteBuffer(string: "x"))
                for try await bytes in inbound {
                    heard += bytes.readableBytesView
                    if heard == Array("hello".utf8) { return heard }
                }
                return heard
            }
        } catch {
            return nil
        }
    }

    private func withGreeter(hangingUp: Bool = false, _ body: (Int) async throws -> Void) async throws {
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Greeter(hangsUp: hangingUp))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        try await body(server.localAddress?.port ?? 0)
        try await server.close()
    }

    @Test("The proxy passes everything without a fault, and each fault does what its name says")
    func faults() async throws {
        try await withGreeter { port in
            try await withFaultProxy(to: port) { proxy in
                let greeting = Array("hello".utf8)
                #expect(await receives(through: proxy.port) == greeting)
                for fault in [FaultProxy.Fault.reject, .reset] {
                    try await proxy.set(fault)
                    #expect(await receives(through: proxy.port) == nil, "\(fault)")
                }
                try await proxy.set(.partialResponse)
                #expect(await receives(through: proxy.port) == Array("he".utf8))
                try await proxy.set(.garbage)
                let rubbish = await receives(through: proxy.port)
                #expect(rubbish?.isEmpty == false && rubbish != greeting)
                try await proxy.set(.none)
                #expect(await receives(through: proxy.port) == greeting)
            }
        }
    }

    @Test("A stall holds back bytes and forwards them afterwards")
    func stall() async throws {
        try await withGreeter { port in
            try await withFaultProxy(to: port) { proxy in
                try await proxy.set(.stall)
                async let heard = receives(through: proxy.port)
                while try await proxy.connections() == 0 { try await Task.sleep(for: .milliseconds(5)) }
                try await proxy.set(.none)
                #expect(await heard == Array("hello".utf8))
            }
        }
    }

    @Test("The delay applies in both directions, in order, and ends at once when it is removed")
    func slow() async throws {
        try await withGreeter { port in
            try await withFaultProxy(to: port) { proxy in
                let delay = Duration.milliseconds(150)
                try await proxy.set(.slow(delay))
                let began = ContinuousClock.now
                #expect(await receives(through: proxy.port) == Array("hello".utf8))
                // A lower bound cannot fail on a busy machine.
                #expect(ContinuousClock.now - began >= delay * 2)
                try await proxy.set(.slow(.seconds(3_600)))
                async let heard = receives(through: proxy.port)
                while try await proxy.connections() == 0 { try await Task.sleep(for: .milliseconds(5)) }
                try await Task.sleep(for: .milliseconds(20))
                try await proxy.set(.none)
                #expect(await heard == Array("hello".utf8))
            }
        }
    }

    @Test("The end of a delayed connection arrives after its last response")
    func slowEnd() async throws {
        try await withGreeter(hangingUp: true) { port in
            try await withFaultProxy(to: port) { proxy in
                try await proxy.set(.slow(.milliseconds(100)))
                #expect(await receives(through: proxy.port) == Array("hello".utf8))
            }
        }
    }
}

private final class Greeter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    private let hangsUp: Bool

    init(hangsUp: Bool) {
        self.hangsUp = hangsUp
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "hello")), promise: nil)
        if hangsUp { context.close(promise: nil) }
    }
}
