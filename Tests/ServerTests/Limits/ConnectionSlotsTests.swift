import Gatefold
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import Server

@Suite("Pitfall 15: connections per client address")
struct ConnectionSlotsTests {
    private static let proxy = "192.0.2.100"
    private let slots = ConnectionSlots(
        limit: 2, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        isExempt: { $0.description == Self.proxy })

    private final class Active: ChannelInboundHandler {
        typealias InboundIn = NIOAny
        private(set) var isKnown = false

        func channelActive(context: ChannelHandlerContext) { isKnown = true }
    }

    private func connect(_ address: String, _ active: Active = Active()) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandlers(ConnectionSlotHandler(slots), active)
        try channel.connect(to: SocketAddress(ipAddress: address, port: 1)).wait()
        return channel
    }

    @Test("Closes a connection over the limit, and a closed one frees its place")
    func bounded() throws {
        let first = try connect("192.0.2.1")
        let second = try connect("192.0.2.1")
        #expect(first.isActive && second.isActive)
        #expect(try !connect("192.0.2.1").isActive)
        #expect(try connect("192.0.2.2").isActive)
        try first.close().wait()
        // The channel reports its end in a later turn of its loop.
        first.embeddedEventLoop.run()
        let next = try connect("192.0.2.1")
        #expect(next.isActive)
        #expect(try !connect("192.0.2.1").isActive)
    }

    @Test("A proxy has no limit")
    func authorizationServices() throws {
        for _ in 0..<5 { #expect(try connect(Self.proxy).isActive) }
    }

    @Test("Handlers further in are notified of an active connection")
    func active() throws {
        let active = Active()
        _ = try connect("192.0.2.1", active)
        #expect(active.isKnown)
    }
}
