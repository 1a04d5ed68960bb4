package import NIOCore

extension MQTTPacket {
    /// Writes the packet.
    ///
    /// - Throws: ``MQTTMalformed`` for texts of more than 65,535 bytes, and packets of more than 256 MiB.
    package func write(to buffer: inout ByteBuffer) throws(MQTTMalformed) {
        var body = ByteBuffer()
        try writeBody(to: &body)
        buffer.writeInteger(firstByte)
        try Self.writeLength(body.readableBytes, to: &buffer)
        buffer.writeBuffer(&body)
    }

    /// The type and the flags (section 2.2).
    private var firstByte: UInt8 {
        switch self {
        case .connect: 0x10
        case .connectAcknowledged: 0x20
        case .publish(let message):
            0x30 | (message.isRepeated ? 8 : 0) | message.quality << 1 | (message.isRetained ? 1 : 0)
        case .publishAcknowledged: 0x40
        case .subscribe: 0x82
        case .subscribeAcknowledged: 0x90
        case .ping: 0xC0
        case .pong: 0xD0
        case .disconnect: 0xE0
        }
    }

    private func writeBody(to body: inout ByteBuffer) throws(MQTTMalformed) {
        switch self {
        case .connect(let connect):
            try Self.write("MQTT", to: &body)
            let flags: UInt8 = 2 | (connect.userName == nil ? 0 : 0x80) | (connect.password == nil ? 0 : 0x40)
            body.writeInteger(UInt8(4))
            body.writeInteger(flags)
            body.writeInteger(connect.keepAlive)
            for text in [connect.clientID, connect.userName, connect.password] {
                if let text { try Self.write(text, to: &body) }
            }
        case .connectAcknowledged(let isPresent, let code):
            body.writeInteger(UInt8(isPresent ? 1 : 0))
            body.writeInteger(code)
        case .publish(let message):
            try Self.write(message.topic, to: &body)
            if message.quality > 0 { body.writeInteger(message.identifier ?? 0) }
            body.writeBytes(message.payload)
        case .publishAcknowledged(let identifier):
            body.writeInteger(identifier)
        case .subscribe(let identifier, let filter, let quality):
            body.writeInteger(identifier)
            try Self.write(filter, to: &body)
            body.writeInteger(quality)
        case .subscribeAcknowledged(let identifier, let codes):
            body.writeInteger(identifier)
            body.writeBytes(codes)
        case .ping, .pong, .disconnect:
            break
        }
    }

    /// Writes a text with its length as prefix (section 1.5.3).
    private static func write(_ text: String, to buffer: inout ByteBuffer) throws(MQTTMalformed) {
        guard let count = UInt16(exactly: text.utf8.count) else {
            throw MQTTMalformed("expected a string of at most 65535 bytes")
        }
        buffer.writeInteger(count)
        buffer.writeString(text)
    }

    /// Writes a length with seven bits per byte, the lowest first (section 2.2.3).
    private static func writeLength(_ length: Int, to buffer: inout ByteBuffer) throws(MQTTMalformed) {
        guard length < 1 << 28 else { throw MQTTMalformed("expected a packet of less than 256 MiB") }
        var rest = length
        repeat {
            let low = UInt8(rest & 0x7F)
            rest >>= 7
            buffer.writeInteger(rest > 0 ? low | 0x80 : low)
        } while rest > 0
    }
}
