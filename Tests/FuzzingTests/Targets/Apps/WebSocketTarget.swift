import NIOCore
import NIOEmbedded
import NIOWebSocket

@testable import MQTT

extension FuzzTarget {
    /// A broker's data over WebSocket: the same stream, independent of its division into frames and chunks.
    static let webSocket = FuzzTarget("web-socket", upTo: 256, of: "WebSocketBytes", "MQTTPacketCodec") { bytes in
        var wire: [UInt8] = []
        for piece in pieces(bytes) {
            let half = piece.count / 2
            // One message in two frames, the second one masked, with a ping between them (RFC 6455 section 5.4).
            wire += frame(0x02, Array(piece[..<half])) + frame(0x89, piece)
            wire += frame(0x80, Array(piece[half...]), key: [1, 0x80, 0xFF, 0x5A])
        }
        let whole = heard([wire])
        promise(whole.stream == bytes && !whole.isClosed, "the stream differs when sent in frames")
        promise(whole.sent == pieces(bytes).map { [0x0A] + $0 }, "a ping has a wrong pong or none")
        promise(heard(pieces(wire)) == whole, "parsing in pieces differs from parsing at once")
        promise(packets(over: wire) == packets(in: bytes), "a packet differs when sent in frames")

        let closed = heard([wire + frame(0x88, [0x03, 0xE8])])
        promise(closed.stream == bytes && closed.isClosed, "a connection continues after a close frame")
        promise(closed.sent.last == [0x08, 0x03, 0xE8], "a close frame has a wrong response or none")
        let texted = heard([wire + frame(0x81, [0x61])])
        promise(texted.stream == bytes && texted.isClosed, "a text frame is part of the stream")

        let odd = heard([bytes])
        promise(odd.stream.count <= bytes.count, "the stream is longer than its input")
        if !odd.isClosed { promise(heard(pieces(bytes)) == odd, "parsing in pieces differs from parsing at once") }

        let own = sent(bytes)
        promise(
            own?.fin == true && own?.opcode == .binary && own?.maskKey != nil
                && own?.data.readableBytesView.elementsEqual(bytes) == true, "the output is not one masked frame")
    }

    /// The result of receiving a broker's data.
    private struct Received: Equatable {
        var stream: [UInt8] = []
        /// The frames that were sent back: the opcode of each followed by its data.
        var sent: [[UInt8]] = []
        var isClosed = false
    }

    private static func heard(_ pieces: [[UInt8]]) -> Received {
        let channel = connected()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        for piece in pieces { _ = try? channel.writeInbound(ByteBuffer(bytes: piece)) }
        var heard = Received()
        heard.isClosed = !channel.isActive
        while let bytes = try? channel.readInbound(as: ByteBuffer.self) { heard.stream += bytes.readableBytesView }
        while let response = try? channel.readOutbound(as: WebSocketFrame.self) {
            heard.sent.append([UInt8(webSocketOpcode: response.opcode)] + Array(response.data.readableBytesView))
        }
        return heard
    }

    private static func connected() -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        let address = ready { try SocketAddress(unixDomainSocketPath: "/nowhere") }
        channel.connect(to: address, promise: nil)
        ready {
            try channel.pipeline.syncOperations.addHandlers(
                ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: MQTTPacket.maxSize)), WebSocketBytes())
        }
        return channel
    }

    private static func packets(over wire: [UInt8]) -> [MQTTPacket] {
        let channel = connected()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        ready { try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(MQTTPacketDecoder())) }
        _ = try? channel.writeInbound(ByteBuffer(bytes: wire))
        var found: [MQTTPacket] = []
        while let packet = try? channel.readInbound(as: MQTTPacket.self) { found.append(packet) }
        return found
    }

    /// Returns the packets before the first malformed or incomplete one.
    private static func packets(in bytes: [UInt8]) -> [MQTTPacket] {
        var buffer = ByteBuffer(bytes: bytes)
        var found: [MQTTPacket] = []
        while let packet = try? MQTTPacket.read(from: &buffer) { found.append(packet) }
        return found
    }

    private static func sent(_ bytes: [UInt8]) -> WebSocketFrame? {
        let channel = EmbeddedChannel(handler: WebSocketBytes())
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        _ = try? channel.writeOutbound(ByteBuffer(bytes: bytes))
        return try? channel.readOutbound(as: WebSocketFrame.self)
    }

    /// Returns a frame of fewer than 126 bytes, built by hand (RFC 6455 section 5.2).
    ///
    /// - Parameter key: The masking key.
    private static func frame(_ first: UInt8, _ data: [UInt8], key: [UInt8]? = nil) -> [UInt8] {
        guard let key else { return [first, UInt8(data.count)] + data }
        let masked = data.indices.map { data[$0] ^ key[$0 % 4] }
        return [first, 0x80 | UInt8(data.count)] + key + masked
    }
}
