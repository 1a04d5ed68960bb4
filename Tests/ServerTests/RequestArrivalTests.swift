import Hummingbird
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import Server

@Suite("Incoming requests")
struct RequestArrivalTests {
    /// Counts the read calls.
    private final class Socket: ChannelOutboundHandler {
        typealias OutboundIn = NIOAny
        var accepts = 0

        func read(context: ChannelHandlerContext) {
            accepts += 1
            context.read()
        }
    }

    private let channel = EmbeddedChannel()
    private let socket = Socket()

    init() throws {
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
        try channel.pipeline.syncOperations.addHandlers([socket, IncomingRequestHandler()])
    }

    private func head(_ length: Int?) -> HTTPRequestPart {
        .head(
            HTTPRequest(
                method: .post, scheme: nil, authority: nil, path: "/a",
                headerFields: length.map { [.contentLength: "\($0)"] } ?? [:]))
    }

    private func isRead() -> Bool {
        let before = socket.accepts
        channel.pipeline.read()
        return socket.accepts > before
    }

    @Test("A request without a body is complete at once")
    func bodyless() async throws {
        try channel.writeInbound(head(nil))
        #expect(try channel.readInbound(as: IncomingRequest.self) == nil)
        try channel.writeInbound(HTTPRequestPart.end(nil))
        let request = try #require(try channel.readInbound(as: IncomingRequest.self))
        #expect(request.head.path == "/a" && !request.isLast)
        #expect(try await request.body.collect(upTo: 1).readableBytes == 0)
    }

    @Test("The channel reads on only when the body is consumed")
    func pressure() async throws {
        try channel.writeInbound(head(12))
        let request = try #require(try channel.readInbound(as: IncomingRequest.self))
        for _ in 0..<12 { try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "a"))) }
        #expect(!isRead())
        let before = socket.accepts
        var taken = request.body.makeAsyncIterator()
        for _ in 0..<12 { #expect(try await taken.next() == ByteBuffer(string: "a")) }
        channel.embeddedEventLoop.run()
        // The suspended read is issued now.
        #expect(socket.accepts == before + 1)
        #expect(isRead())
        try channel.writeInbound(HTTPRequestPart.end(nil))
        #expect(try await taken.next() == nil)
    }

    @Test("An abandoned body is read to its end")
    func unwanted() throws {
        try channel.writeInbound(head(12))
        var request = try channel.readInbound(as: IncomingRequest.self)
        for _ in 0..<12 { try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "a"))) }
        #expect(request != nil && !isRead())
        request = nil
        channel.embeddedEventLoop.run()
        #expect(isRead())
        try channel.writeInbound(HTTPRequestPart.end(nil))
    }

    @Test("The reader of a body receives the error when the rest is unreadable")
    func broken() async throws {
        try channel.writeInbound(head(12))
        let request = try #require(try channel.readInbound(as: IncomingRequest.self))
        channel.pipeline.fireErrorCaught(ChannelError.inputClosed)
        await #expect(throws: ChannelError.self) { try await request.body.collect(upTo: 12) }
    }

    @Test("A stopping server closes a connection as soon as all responses are sent")
    func stopping() throws {
        let idle = EmbeddedChannel(handler: IdleConnectionHandler(idleTimeout: .seconds(60)))
        try idle.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
        idle.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        #expect(!idle.isActive)

        let busy = EmbeddedChannel(handler: IdleConnectionHandler(idleTimeout: .seconds(60)))
        try busy.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
        try busy.writeInbound(head(nil))
        try busy.writeInbound(HTTPRequestPart.end(nil))
        busy.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        #expect(busy.isActive)
        try busy.writeOutbound(HTTPResponsePart.head(.init(status: .ok)))
        #expect(busy.isActive)
        try busy.writeOutbound(HTTPResponsePart.end(nil))
        #expect(!busy.isActive)
    }
}
