import Hummingbird
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import Server

@Suite("Requests as they arrive")
struct RequestArrivalTests {
    /// Counts how often more is read.
    private final class Socket: ChannelOutboundHandler {
        typealias OutboundIn = NIOAny
        var reads = 0

        func read(context: ChannelHandlerContext) {
            reads += 1
            context.read()
        }
    }

    private let channel = EmbeddedChannel()
    private let socket = Socket()

    init() throws {
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
        try channel.pipeline.syncOperations.addHandlers([socket, RequestArrivalHandler()])
    }

    private func head(_ length: Int?) -> HTTPRequestPart {
        .head(
            HTTPRequest(
                method: .post, scheme: nil, authority: nil, path: "/a",
                headerFields: length.map { [.contentLength: "\($0)"] } ?? [:]))
    }

    private func isRead() -> Bool {
        let before = socket.reads
        channel.pipeline.read()
        return socket.reads > before
    }

    @Test("are whole where they have no body")
    func bodyless() async throws {
        try channel.writeInbound(head(nil))
        #expect(try channel.readInbound(as: ArrivedRequest.self) == nil)
        try channel.writeInbound(HTTPRequestPart.end(nil))
        let request = try #require(try channel.readInbound(as: ArrivedRequest.self))
        #expect(request.head.path == "/a" && !request.isLast)
        #expect(try await request.body.collect(upTo: 1).readableBytes == 0)
    }

    @Test("are read on only when their body is taken")
    func pressure() async throws {
        try channel.writeInbound(head(12))
        let request = try #require(try channel.readInbound(as: ArrivedRequest.self))
        for _ in 0..<12 { try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "a"))) }
        #expect(!isRead())
        let before = socket.reads
        var taken = request.body.makeAsyncIterator()
        for _ in 0..<12 { #expect(try await taken.next() == ByteBuffer(string: "a")) }
        channel.embeddedEventLoop.run()
        // What was held back is made up for.
        #expect(socket.reads == before + 1)
        #expect(isRead())
        try channel.writeInbound(HTTPRequestPart.end(nil))
        #expect(try await taken.next() == nil)
    }

    @Test("are read to their end when nobody wants their body")
    func unwanted() throws {
        try channel.writeInbound(head(12))
        var request = try channel.readInbound(as: ArrivedRequest.self)
        for _ in 0..<12 { try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "a"))) }
        #expect(request != nil && !isRead())
        request = nil
        channel.embeddedEventLoop.run()
        #expect(isRead())
        try channel.writeInbound(HTTPRequestPart.end(nil))
    }

    @Test("tell whoever reads their body when the rest can not be read")
    func broken() async throws {
        try channel.writeInbound(head(12))
        let request = try #require(try channel.readInbound(as: ArrivedRequest.self))
        channel.pipeline.fireErrorCaught(ChannelError.inputClosed)
        await #expect(throws: ChannelError.self) { try await request.body.collect(upTo: 12) }
    }

    @Test("When the server stops, a connection is closed as soon as everything is answered")
    func stopping() throws {
        let idle = EmbeddedChannel(handler: LaneSignal(idleTimeout: .seconds(60)))
        try idle.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
        idle.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        #expect(!idle.isActive)

        let busy = EmbeddedChannel(handler: LaneSignal(idleTimeout: .seconds(60)))
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
