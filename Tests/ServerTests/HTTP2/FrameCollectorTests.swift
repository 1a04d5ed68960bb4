import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import Server

@Suite("Frames joined for TLS")
struct FrameCollectorTests {
    private let channel = EmbeddedChannel()

    init() throws {
        try channel.pipeline.syncOperations.addHandler(FrameCollector())
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
    }

    private func write(_ bytes: ByteBuffer) -> EventLoopFuture<Void> { channel.write(IOData.byteBuffer(bytes)) }

    private func sent() throws -> [ByteBuffer] {
        var all: [ByteBuffer] = []
        while let next = try channel.readOutbound(as: ByteBuffer.self) { all.append(next) }
        return all
    }

    @Test("Frames before a flush leave together, and their writes complete together")
    func joined() throws {
        let first = write(ByteBuffer(string: "a"))
        let second = write(ByteBuffer(string: "b"))
        #expect(try sent().isEmpty)
        channel.flush()
        #expect(try sent() == [ByteBuffer(string: "ab")])
        try first.wait()
        try second.wait()
        _ = write(ByteBuffer(string: "c"))
        channel.flush()
        channel.flush()
        #expect(try sent() == [ByteBuffer(string: "c")])
    }

    @Test("Frames leave before the connection closes")
    func closing() throws {
        _ = write(ByteBuffer(string: "a"))
        try channel.close().wait()
        #expect(try sent() == [ByteBuffer(string: "a")])
    }

    @Test("Random frames and flushes keep all bytes in order, in records of at most 16 KiB or one frame")
    func random() throws {
        var random = SeededRandom(seed: 16)
        var (expected, received) = (ByteBuffer(), ByteBuffer())
        for _ in 0..<3_000 {
            let length = [0, 1, 9, 300, 9_000, 16_384, 40_000].randomElement(using: &random) ?? 0
            let frame = ByteBuffer(repeating: UInt8.random(in: 0...255, using: &random), count: length)
            expected.writeImmutableBuffer(frame)
            _ = write(frame)
            if Int.random(in: 0..<4, using: &random) == 0 {
                channel.flush()
                for record in try sent() {
                    #expect(record.readableBytes <= 16 << 10 || record.readableBytes == 40_000)
                    received.writeImmutableBuffer(record)
                }
                #expect(received == expected)
                (expected, received) = (ByteBuffer(), ByteBuffer())
            }
        }
    }
}
