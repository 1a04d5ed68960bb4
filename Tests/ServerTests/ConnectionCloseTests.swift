import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Testing

@testable import Server

@Suite("Connection after its client's last request") struct ConnectionCloseTests {
    /// Counts the bytes that the parser receives.
    private final class Gathered: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private(set) var bytes = 0

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            bytes += unwrapInboundIn(data).readableBytes
            context.fireChannelRead(data)
        }
    }

    private func channel(_ gathered: Gathered) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
        let operations = channel.pipeline.syncOperations
        try operations.configureHTTPServerPipeline(withPipeliningAssistance: false, withErrorHandling: false)
        try operations.addHandler(HTTP1ToHTTPServerCodec(secure: false))
        try operations.addHandler(ConnectionCloseInstaller())
        let parser = try operations.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        try operations.addHandler(gathered, position: .before(parser))
        return channel
    }

    private func response(_ channel: EmbeddedChannel) throws -> String {
        try channel.writeOutbound(HTTPResponsePart.head(.init(status: .noContent)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        var text = ""
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
        return text
    }

    private func requests(_ channel: EmbeddedChannel) throws -> [String] {
        var paths: [String] = []
        while let part = try channel.readInbound(as: HTTPRequestPart.self) {
            if case .head(let head) = part { paths.append(head.path ?? "") }
        }
        return paths
    }

    private func closes(_ response: String) -> Bool { response.lowercased().contains("connection: close") }

    @Test(
        "Pitfall 15: discards further bytes and closes a few seconds after the response",
        arguments: [
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: x\r\nProxy-Connection: upgrade\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: x\r\nConnection: upgrade,\u{301}\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: UPGRADE\r\nConnection: x\r\nupgrade: \r\n\r\n",
            "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n",
            "GET / HTTP/1.0\r\n\r\n",
        ])
    func drained(request: String) throws {
        let gathered = Gathered()
        let channel = try channel(gathered)
        try channel.writeInbound(ByteBuffer(string: request))
        for _ in 0..<100 { try channel.writeInbound(ByteBuffer(repeating: 97, count: 65_536)) }
        #expect(gathered.bytes == request.utf8.count)
        #expect(try requests(channel).count == 1)
        #expect(closes(try response(channel)))
        try channel.writeInbound(ByteBuffer(string: request))
        #expect(try requests(channel).isEmpty)
        channel.embeddedEventLoop.advanceTime(by: .seconds(4))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(2))
        #expect(!channel.isActive)
        channel.embeddedEventLoop.run()
    }

    @Test("Responds to earlier pipelined requests as usual and marks only the last response with close")
    func pipelined() throws {
        let channel = try channel(Gathered())
        try channel.writeInbound(
            ByteBuffer(
                string: "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
        #expect(try requests(channel) == ["/1", "/2"])
        #expect(!closes(try response(channel)))
        #expect(closes(try response(channel)))
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test("Stays open while more requests may follow")
    func keepAlive() throws {
        let channel = try channel(Gathered())
        for fields in ["", "Connection: keep-alive\r\n", "Upgrade: h2c\r\n"] {
            try channel.writeInbound(ByteBuffer(string: "GET /1 HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"))
            #expect(try requests(channel) == ["/1"])
            #expect(!closes(try response(channel)))
        }
        channel.embeddedEventLoop.advanceTime(by: .seconds(10))
        #expect(channel.isActive)
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test("Sends keep-alive only for HTTP/1.0 requests, in any mix of pipelined versions")
    func versions() throws {
        let channel = try channel(Gathered())
        let old = "GET /old HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
        let new = "GET /new HTTP/1.1\r\nHost: a\r\n\r\n"
        try channel.writeInbound(ByteBuffer(string: new + old + new))
        #expect(try requests(channel) == ["/new", "/old", "/new"])
        #expect(try !response(channel).lowercased().contains("connection:"))
        #expect(try response(channel).lowercased().contains("connection: keep-alive"))
        #expect(try !response(channel).lowercased().contains("connection:"))
        _ = try channel.finish(acceptAlreadyClosed: true)
    }
}
