import NIOCore
import TestSupport
import Testing

@testable import MQTT

@Suite("Packet of MQTT 3.1.1")
struct PacketTests {
    private static let packets: [(MQTTPacket, [UInt8])] = [
        (
            .connect(MQTTConnect(clientID: "a", keepAlive: 60)),
            [0x10, 13, 0, 4] + Array("MQTT".utf8) + [4, 2, 0, 60, 0, 1, UInt8(ascii: "a")]
        ),
        (
            .connect(MQTTConnect(clientID: "", keepAlive: 0, userName: "u", password: "p")),
            [0x10, 18, 0, 4] + Array("MQTT".utf8) + [4, 0xC2, 0, 0, 0, 0, 0, 1, 0x75, 0, 1, 0x70]
        ),
        (.connectAcknowledged(isPresent: false, code: 5), [0x20, 2, 0, 5]),
        (.publish(MQTTMessage(topic: "t", payload: [1, 2])), [0x30, 5, 0, 1, 0x74, 1, 2]),
        (
            .publish(
                MQTTMessage(
                    topic: "t", payload: [], quality: 1, identifier: 258, isRepeated: true, isRetained: true)),
            [0x3B, 5, 0, 1, 0x74, 1, 2]
        ),
        (.publishAcknowledged(7), [0x40, 2, 0, 7]),
        (.subscribe(1, filter: "t/#", quality: 0), [0x82, 8, 0, 1, 0, 3, 0x74, 0x2F, 0x23, 0]),
        (.subscribeAcknowledged(1, codes: [0x80]), [0x90, 3, 0, 1, 0x80]),
        (.ping, [0xC0, 0]), (.pong, [0xD0, 0]), (.disconnect, [0xE0, 0]),
    ]

    @Test("is encoded and decoded byte for byte as in the standard", arguments: packets)
    func bytes(_ packet: MQTTPacket, _ bytes: [UInt8]) throws {
        var buffer = ByteBuffer()
        try packet.write(to: &buffer)
        #expect(Array(buffer.readableBytesView) == bytes)
        #expect(try MQTTPacket.read(from: &buffer) == packet)
        #expect(buffer.readableBytes == 0)
    }

    @Test("is decoded only when complete, and leaves the bytes after it", arguments: packets)
    func pieces(_ packet: MQTTPacket, _ bytes: [UInt8]) throws {
        for count in 0..<bytes.count {
            var buffer = ByteBuffer(bytes: bytes.prefix(count))
            #expect(try MQTTPacket.read(from: &buffer) == nil)
            #expect(buffer.readableBytes == count)
        }
        var buffer = ByteBuffer(bytes: bytes + [0xC0, 0, 0xD0])
        #expect(try MQTTPacket.read(from: &buffer) == packet)
        #expect(try MQTTPacket.read(from: &buffer) == .ping)
        #expect(buffer.readableBytes == 1)
    }

    @Test("has a length of one to four bytes", arguments: [0, 120, 127, 128, 16_383, 16_384, 200_000])
    func lengths(_ count: Int) throws {
        let packet = MQTTPacket.publish(MQTTMessage(topic: "t", payload: [UInt8](repeating: 7, count: count)))
        var buffer = ByteBuffer()
        try packet.write(to: &buffer)
        #expect(try MQTTPacket.read(from: &buffer) == packet)
    }

    @Test(
        "is rejected if it violates the standard",
        arguments: [
            [0x00, 0], [0xF0, 0], [0x31, 1, 0], [0x36, 3, 0, 1, 0x74], [0x80, 0], [0xC0, 1, 0], [0x20, 2, 2, 0],
            [0x20, 1, 0], [0x90, 2, 0, 1], [0x30, 3, 0, 9, 0x74], [0x30, 4, 0, 2, 0xC3, 0x28], [0x30, 3, 0, 1, 0],
            [0x30, 0xFF, 0xFF, 0xFF, 0xFF, 1], [0x30, 0xFF, 0xFF, 0xFF, 0x7F],
            [0x10, 13, 0, 4, 0x4D, 0x51, 0x54, 0x54, 3, 2, 0, 60, 0, 1, 0x61],
            [0x10, 13, 0, 4, 0x4D, 0x51, 0x54, 0x54, 4, 6, 0, 60, 0, 1, 0x61],
        ] as [[UInt8]])
    func malformed(_ bytes: [UInt8]) {
        var buffer = ByteBuffer(bytes: bytes)
        #expect(throws: MQTTMalformed.self) { try MQTTPacket.read(from: &buffer) }
    }

    @Test("is decoded, rejected or awaited for any bytes, and is encoded again without a change")
    func anything() throws {
        var random = SeededRandom(seed: 5)
        var read = 0
        for round in 0..<10_000 {
            var bytes: [UInt8]
            if round.isMultiple(of: 2) {
                bytes = random.bytes(Int.random(in: 0...24, using: &random))
            } else {
                bytes = Self.packets[Int.random(in: 0..<Self.packets.count, using: &random)].1
                let index = Int.random(in: 0..<bytes.count, using: &random)
                bytes[index] = .random(in: .min ... .max, using: &random)
            }
            var buffer = ByteBuffer(bytes: bytes)
            guard let packet = try? MQTTPacket.read(from: &buffer) else { continue }
            read += 1
            var again = ByteBuffer()
            try packet.write(to: &again)
            if try MQTTPacket.read(from: &again) != packet { Issue.record("\(bytes)") }
        }
        #expect(read > 1_000)
    }

    @Test("cannot be encoded with an overlong text")
    func longText() {
        var buffer = ByteBuffer()
        let connect = MQTTConnect(clientID: String(repeating: "a", count: 65_536), keepAlive: 0)
        #expect(throws: MQTTMalformed.self) { try MQTTPacket.connect(connect).write(to: &buffer) }
    }
}
