package import NIOCore

extension MQTTPacket {
    /// The maximum size of a packet that is read, in bytes.
    package static let maxSize = 1 << 20

    /// Reads the packet at the beginning of the buffer.
    ///
    /// - Returns: The packet, or nil if it is incomplete. The buffer then stays unchanged.
    /// - Throws: ``MQTTMalformed``. The bytes after it are then unreadable too.
    package static func read(from buffer: inout ByteBuffer) throws(MQTTMalformed) -> MQTTPacket? {
        var rest = buffer
        guard let first = rest.readInteger(as: UInt8.self), let length = try readLength(from: &rest) else { return nil }
        guard length <= maxSize else { throw MQTTMalformed("expected a packet of at most \(maxSize) bytes") }
        guard var body = rest.readSlice(length: length) else { return nil }
        let packet = try read(first, &body)
        guard body.readableBytes == 0 else { throw MQTTMalformed("expected nothing after the packet's fields") }
        buffer = rest
        return packet
    }

    private static func read(_ first: UInt8, _ body: inout ByteBuffer) throws(MQTTMalformed) -> MQTTPacket {
        switch first {
        case 0x10: return .connect(try readConnect(from: &body))
        case 0x20:
            let flags: UInt8 = try readInteger(from: &body)
            guard flags & 0xFE == 0 else { throw MQTTMalformed("expected no reserved flag in CONNACK") }
            return .connectAcknowledged(isPresent: flags == 1, code: try readInteger(from: &body))
        case 0x30...0x3F: return .publish(try readMessage(first, from: &body))
        case 0x40: return .publishAcknowledged(try readInteger(from: &body))
        case 0x82:
            return .subscribe(
                try readInteger(from: &body), filter: try readText(from: &body), quality: try readInteger(from: &body))
        case 0x90:
            let identifier: UInt16 = try readInteger(from: &body)
            let codes = body.readBytes(length: body.readableBytes) ?? []
            guard !codes.isEmpty else { throw MQTTMalformed("expected a code in SUBACK") }
            return .subscribeAcknowledged(identifier, codes: codes)
        case 0xC0: return .ping
        case 0xD0: return .pong
        case 0xE0: return .disconnect
        default: throw MQTTMalformed("expected a packet's type and flags, not \(first)")
        }
    }

    private static func readConnect(from body: inout ByteBuffer) throws(MQTTMalformed) -> MQTTConnect {
        guard try readText(from: &body) == "MQTT", try readInteger(from: &body) == UInt8(4) else {
            throw MQTTMalformed("expected version 3.1.1")
        }
        let flags: UInt8 = try readInteger(from: &body)
        guard flags & 0x3F == 2 else { throw MQTTMalformed("expected a clean session without a will") }
        let keepAlive: UInt16 = try readInteger(from: &body)
        let clientID = try readText(from: &body)
        let userName = flags & 0x80 == 0 ? nil : try readText(from: &body)
        let password = flags & 0x40 == 0 ? nil : try readText(from: &body)
        return MQTTConnect(clientID: clientID, keepAlive: keepAlive, userName: userName, password: password)
    }

    private static func readMessage(_ first: UInt8, from body: inout ByteBuffer) throws(MQTTMalformed) -> MQTTMessage {
        let quality = first >> 1 & 3
        guard quality < 3 else { throw MQTTMalformed("expected a quality of service of at most 2") }
        let topic = try readText(from: &body)
        let identifier: UInt16? = quality == 0 ? nil : try readInteger(from: &body)
        return MQTTMessage(
            topic: topic, payload: body.readBytes(length: body.readableBytes) ?? [], quality: quality,
            identifier: identifier, isRepeated: first & 8 != 0, isRetained: first & 1 != 0)
    }

    private static func readInteger<Value: FixedWidthInteger>(
        from body: inout ByteBuffer
    ) throws(MQTTMalformed) -> Value {
        guard let value = body.readInteger(as: Value.self) else { throw MQTTMalformed("expected a longer packet") }
        return value
    }

    private static func readText(from body: inout ByteBuffer) throws(MQTTMalformed) -> String {
        let count: UInt16 = try readInteger(from: &body)
        guard let bytes = body.readBytes(length: Int(count)) else { throw MQTTMalformed("expected a longer string") }
        guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            throw MQTTMalformed("expected UTF-8 without a zero")
        }
        return text
    }

    /// Reads a length of at most four bytes with seven bits each (section 2.2.3).
    private static func readLength(from buffer: inout ByteBuffer) throws(MQTTMalformed) -> Int? {
        var length = 0
        for index in 0..<4 {
            guard let byte = buffer.readInteger(as: UInt8.self) else { return nil }
            length |= Int(byte & 0x7F) << (7 * index)
            if byte & 0x80 == 0 { return length }
        }
        throw MQTTMalformed("expected a length of at most four bytes")
    }
}
