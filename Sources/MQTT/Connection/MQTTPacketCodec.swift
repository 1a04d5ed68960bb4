import NIOCore

/// A decoder of bytes into packets.
struct MQTTPacketDecoder: NIOSingleStepByteToMessageDecoder {
    typealias InboundOut = MQTTPacket

    func decode(buffer: inout ByteBuffer) throws -> MQTTPacket? { try MQTTPacket.read(from: &buffer) }

    func decodeLast(buffer: inout ByteBuffer, seenEOF: Bool) throws -> MQTTPacket? {
        try MQTTPacket.read(from: &buffer)
    }
}

/// An encoder of packets into bytes.
struct MQTTPacketEncoder: MessageToByteEncoder {
    typealias OutboundIn = MQTTPacket

    func encode(data: MQTTPacket, out: inout ByteBuffer) throws { try data.write(to: &out) }
}
