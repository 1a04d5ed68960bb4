import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import NIOHPACK
import NIOHTTP2
import Testing

@testable import Server

@Suite("Idle HTTP/2 connection")
struct HTTP2IdleTests {
    private let server = EmbeddedChannel()
    private let client = EmbeddedChannel()

    init() throws {
        let responder = RequestResponder(
            CallbackResponder { _, _ in Response(status: .ok) },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try HTTP2ConnectionHandler(responder, idleTimeout: .seconds(60), stallTimeout: .seconds(90)).add(to: server)
        // The client sends what it is told to, right or wrong.
        var configuration = NIOHTTP2Handler.ConnectionConfiguration()
        configuration.headerBlockValidation = .disabled
        try client.pipeline.syncOperations.addHandler(
            NIOHTTP2Handler(mode: .client, connectionConfiguration: configuration, streamConfiguration: .init()))
        for channel in [server, client] {
            try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
        }
        try exchange()
    }

    /// Passes bytes between both sides until there are none.
    private func exchange() throws {
        var hasMoved = true
        while hasMoved {
            hasMoved = false
            while case .byteBuffer(let bytes)? = try client.readOutbound(as: IOData.self) {
                if server.isActive { Self.receive(bytes, server) }
                hasMoved = true
            }
            while let bytes = try server.readOutbound(as: ByteBuffer.self) {
                Self.receive(bytes, client)
                hasMoved = true
            }
        }
    }

    /// Passes bytes to a channel. `writeInbound` would also copy everything that the channel has received.
    private static func receive(_ bytes: ByteBuffer, _ channel: EmbeddedChannel) {
        channel.pipeline.fireChannelRead(bytes)
        channel.pipeline.fireChannelReadComplete()
        channel.embeddedEventLoop.run()
    }

    private func wait(_ seconds: Int64) throws {
        server.embeddedEventLoop.advanceTime(by: .seconds(seconds))
        try exchange()
    }

    /// The last stream that a GOAWAY names.
    private func goAway() throws -> HTTP2StreamID? {
        while let frame = try client.readInbound(as: HTTP2Frame.self) {
            if case .goAway(let last, _, _) = frame.payload { return last }
        }
        return nil
    }

    @Test("Closes after the idle time, with a GOAWAY")
    func unused() throws {
        try wait(59)
        #expect(server.isActive)
        try wait(2)
        #expect(!server.isActive)
        #expect(try goAway() == .rootStream)
    }

    @Test("Closes after the idle time since the last stream, regardless of PING")
    func used() throws {
        try wait(50)
        client.writeAndFlush(
            HTTP2Frame(streamID: 1, payload: HTTP2TestConnection.head("/a", isLast: true)), promise: nil)
        try exchange()
        for _ in 0..<5 {
            try wait(11)
            #expect(server.isActive)
            let ping = HTTP2Frame.FramePayload.ping(HTTP2PingData(withInteger: 7), ack: false)
            client.writeAndFlush(HTTP2Frame(streamID: .rootStream, payload: ping), promise: nil)
            try exchange()
        }
        try wait(6)
        #expect(!server.isActive)
        #expect(try goAway() == 1)
    }

    @Test("Resets the stream of an incomplete request after 30 s, and the connection continues")
    func incomplete() throws {
        client.writeAndFlush(
            HTTP2Frame(streamID: 1, payload: HTTP2TestConnection.head("/a", method: "POST", isLast: false)),
            promise: nil)
        try exchange()
        for _ in 0..<5 { try wait(5) }
        #expect(server.isActive)
        while try client.readInbound(as: HTTP2Frame.self) != nil {}
        for _ in 0..<2 { try wait(5) }
        let frame = try client.readInbound(as: HTTP2Frame.self)
        #expect(frame?.streamID == 1)
        if case .rstStream? = frame?.payload {} else { Issue.record("\(String(describing: frame))") }
        #expect(server.isActive)
    }

    private let head = HTTP2TestConnection.head("/a", method: "POST", isLast: false)
    private let end = HTTP2TestConnection.data(ByteBuffer(string: "text"), isLast: true)

    private func send(_ id: HTTP2StreamID, _ payload: HTTP2Frame.FramePayload) {
        client.writeAndFlush(HTTP2Frame(streamID: id, payload: payload), promise: nil)
    }

    private func setWritable(_ isWritable: Bool) {
        server.isWritable = isWritable
        server.pipeline.fireChannelWritabilityChanged()
    }

    @Test(
        "An error of a stream does not close the connection, and one of the connection does, while the client is slow")
    func slowClient() throws {
        send(1, head)
        try exchange()
        setWritable(false)
        send(3, HTTP2TestConnection.head("/a", [("connection", "close")], isLast: true))
        // The client gives up a request whose response waits.
        send(5, HTTP2TestConnection.head("/a", isLast: true))
        send(5, .rstStream(.cancel))
        // The server gives up the incomplete request.
        for _ in 0..<8 { try wait(5) }
        #expect(server.isActive)
        setWritable(true)
        try exchange()
        #expect(server.isActive)
        var resets: [HTTP2StreamID] = []
        while let frame = try client.readInbound(as: HTTP2Frame.self) {
            if case .rstStream = frame.payload { resets.append(frame.streamID) }
        }
        #expect(resets.sorted() == [1, 3])
        setWritable(false)
        // DATA on a stream that does not exist.
        Self.receive(ByteBuffer(bytes: [0, 0, 0, 0, 1, 0, 0, 0, 99]), server)
        #expect(!server.isActive)
    }

    @Test(
        "A stopping server whose last stream ends waits for the client to receive the warning",
        arguments: [false, true])
    func warned(isSilent: Bool) throws {
        send(1, head)
        try exchange()
        server.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        send(1, end)
        while case .byteBuffer(let bytes)? = try client.readOutbound(as: IOData.self) { Self.receive(bytes, server) }
        #expect(server.isActive)
        if isSilent {
            server.embeddedEventLoop.advanceTime(by: .milliseconds(4_900))
            #expect(server.isActive)
            server.embeddedEventLoop.advanceTime(by: .milliseconds(5_100))
        } else {
            try exchange()
        }
        #expect(!server.isActive)
    }

    @Test("Refuses a request after the last stream was named, and completes the others")
    func late() throws {
        send(1, head)
        try exchange()
        server.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        try exchange()
        // A POST whose client has read nothing of that: `:method: POST`, `:scheme: https`, `:path: /`, `:authority: a`.
        let fields: [UInt8] = [0x83, 0x87, 0x84, 0x41, 1, 0x61]
        Self.receive(ByteBuffer(bytes: [0, 0, 6, 1, 4, 0, 0, 0, 3] + fields), server)
        Self.receive(ByteBuffer(bytes: [0, 0, 4, 0, 1, 0, 0, 0, 3] + Array("text".utf8)), server)
        #expect(server.isActive)
        send(1, end)
        while case .byteBuffer(let bytes)? = try client.readOutbound(as: IOData.self) { Self.receive(bytes, server) }
        #expect(!server.isActive)
        // The client's handler does not know stream 3, so the frames are read from the bytes: length, type, flags, stream.
        var (frames, received): ([[UInt8]], [UInt8]) = ([], [])
        while let bytes = try server.readOutbound(as: ByteBuffer.self) { received += bytes.readableBytesView }
        while received.count >= 9 {
            let length = Int(received[0]) << 16 | Int(received[1]) << 8 | Int(received[2])
            frames.append([received[3], received[8]] + received[9...].prefix(length))
            received.removeFirst(9 + length)
        }
        #expect(frames.contains([3, 3, 0, 0, 0, 7]), "RST_STREAM of stream 3 with REFUSED_STREAM")
        #expect(frames.contains { $0.starts(with: [1, 1, 0x88]) }, "HEADERS of stream 1 with status 200")
        #expect(!frames.contains { $0.starts(with: [1, 3]) })
    }

    @Test("Serves a request that was on its way when the server began to stop")
    func crossing() throws {
        send(1, head)
        try exchange()
        server.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        send(3, head)
        send(3, end)
        try exchange()
        #expect(server.isActive)
        send(1, end)
        try exchange()
        #expect(!server.isActive)
        var (responses, lastStreams): ([HTTP2StreamID: String], [HTTP2StreamID]) = ([:], [])
        while let frame = try client.readInbound(as: HTTP2Frame.self) {
            switch frame.payload {
            case .headers(let headers): responses[frame.streamID] = headers.headers.first(name: ":status")
            case .goAway(let last, _, _): lastStreams.append(last)
            default: break
            }
        }
        #expect(responses == [1: "200", 3: "200"])
        #expect(lastStreams == [.maxID, 3])
    }
}
