import NIOCore
import NIOHPACK
import NIOPosix
import NIOSSL

/// An HTTP/2 connection whose frames are written byte by byte, so they can be invalid in any way.
struct RawStreams {
    struct Frame {
        let type: UInt8
        let flags: UInt8
        let stream: Int
        let payload: [UInt8]
    }

    enum Kind {
        static let data: UInt8 = 0, headers: UInt8 = 1, priority: UInt8 = 2, reset: UInt8 = 3, settings: UInt8 = 4
        static let ping: UInt8 = 6, goAway: UInt8 = 7, windowUpdate: UInt8 = 8, continuation: UInt8 = 9
    }

    static let endStream: UInt8 = 1, endHeaders: UInt8 = 4, acknowledgement: UInt8 = 1
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var bytes = ByteBuffer()
    private var decoder = HPACKDecoder(allocator: ByteBufferAllocator())

    /// Runs the body with a new connection, which is closed after `stallTimeout` seconds at the latest.
    ///
    /// - Parameter version: The protocol, as named in TLS. With `http/1.1` there are no frames, only ``rest()``.
    static func withConnection<Result: Sendable>(
        port: Int, speaking version: String = "h2", stallTimeout: Int64 = 30,
        _ body: @Sendable (inout RawStreams) async throws -> Result
    ) async throws -> Result {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        configuration.applicationProtocols = [version]
        let context = try NIOSSLContext(configuration: configuration)
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        NIOSSLClientHandler(context: context, serverHostname: nil))
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        let deadline = channel.channel.eventLoop.scheduleTask(in: .seconds(stallTimeout)) { [raw = channel.channel] in
            raw.close(promise: nil)
        }
        defer { deadline.cancel() }
        var result: Result?
        do {
            try await channel.executeThenClose { inbound, outbound in
                var streams = RawStreams(inbound: inbound.makeAsyncIterator(), outbound: outbound)
                result = try await body(&streams)
            }
        } catch {
            // The server may have closed the connection without a notice.
            guard result != nil else { throw error }
        }
        guard let result else { throw CancellationError() }
        return result
    }

    private init(
        inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
        outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) {
        self.inbound = inbound
        self.outbound = outbound
    }

    /// Sends bytes. Returns false when the server has closed the connection.
    @discardableResult
    func send(_ bytes: [UInt8]) async -> Bool { (try? await outbound.write(ByteBuffer(bytes: bytes))) != nil }

    /// Sends while responses are being read.
    struct Sender: Sendable {
        fileprivate let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>

        /// Sends the bytes repeatedly until the task is cancelled or the server closes the connection.
        ///
        /// - Parameter seconds: The interval in seconds.
        func drip(_ bytes: [UInt8], every seconds: Int = 1) async {
            repeat {
                do {
                    try await Task.sleep(for: .seconds(seconds))
                    try await outbound.write(ByteBuffer(bytes: bytes))
                } catch {
                    return
                }
            } while !Task.isCancelled
        }
    }

    var sender: Sender { Sender(outbound: outbound) }

    /// Returns the next bytes, or none when the server has closed the connection.
    mutating func some() async -> [UInt8] {
        guard let more = try? await inbound.next(isolation: #isolation) else { return [] }
        return Array(buffer: more)
    }

    /// Returns all bytes until the server closes the connection.
    mutating func rest() async -> [UInt8] {
        while var more = try? await inbound.next(isolation: #isolation) { bytes.writeBuffer(&more) }
        return Array(buffer: bytes)
    }

    /// Returns the next frame, or nil when the connection was closed.
    mutating func next() async -> Frame? {
        while true {
            if let frame = takeFrame() { return frame }
            guard var more = try? await inbound.next(isolation: #isolation) else { return nil }
            bytes.writeBuffer(&more)
        }
    }

    private mutating func takeFrame() -> Frame? {
        let start = bytes.readerIndex
        guard let head = bytes.getBytes(at: start, length: 9) else { return nil }
        let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
        guard let payload = bytes.getBytes(at: start + 9, length: length) else { return nil }
        bytes.moveReaderIndex(forwardBy: 9 + length)
        let stream = Int(head[5] & 0x7F) << 24 | Int(head[6]) << 16 | Int(head[7]) << 8 | Int(head[8])
        return Frame(type: head[3], flags: head[4], stream: stream, payload: payload)
    }

    /// Reads until the server closes the connection or the stream ends. Returns the statuses, and whether the server
    /// closed or reset.
    mutating func outcome(until last: Int? = nil) async -> (statuses: [Int], isOver: Bool) {
        var statuses: [Int] = []
        while let frame = await next() {
            if frame.type == Kind.headers {
                var block = ByteBuffer(bytes: frame.payload)
                if let fields = try? decoder.decodeHeaders(from: &block),
                    let status = fields.first(name: ":status").flatMap({ Int($0) })
                {
                    statuses.append(status)
                }
            }
            if frame.type == Kind.goAway { return (statuses, true) }
            if let last, frame.stream == last {
                if frame.type == Kind.reset { return (statuses, true) }
                if frame.flags & Self.endStream != 0, frame.type == Kind.data || frame.type == Kind.headers {
                    return (statuses, false)
                }
            }
        }
        return (statuses, true)
    }

    // MARK: Bytes

    static func frame(_ type: UInt8, _ flags: UInt8 = 0, _ stream: Int = 0, _ payload: [UInt8] = []) -> [UInt8] {
        let length = payload.count
        return [
            UInt8(length >> 16 & 0xFF), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), type, flags,
            UInt8(stream >> 24 & 0x7F), UInt8(stream >> 16 & 0xFF), UInt8(stream >> 8 & 0xFF), UInt8(stream & 0xFF),
        ] + payload
    }

    /// Returns the first bytes of a client: the preface and its settings.
    static func opening(_ settings: [UInt8] = []) -> [UInt8] { preface + frame(Kind.settings, 0, 0, settings) }

    /// Encodes fields as literals that are never indexed (RFC 7541 section 6.2.3).
    static func block(_ fields: [(String, String)]) -> [UInt8] {
        fields.flatMap { [0x10] + text($0.0) + text($0.1) }
    }

    private static func text(_ text: String) -> [UInt8] { integer(text.utf8.count, bits: 7) + Array(text.utf8) }

    private static func integer(_ value: Int, bits: Int) -> [UInt8] {
        let limit = (1 << bits) - 1
        guard value >= limit else { return [UInt8(value)] }
        var bytes = [UInt8(limit)]
        var rest = value - limit
        while rest >= 128 {
            bytes.append(UInt8(rest & 0x7F | 0x80))
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    static func get(_ path: String, on stream: Int, _ more: [(String, String)] = []) -> [UInt8] {
        let fields = [(":method", "GET"), (":scheme", "https"), (":authority", "a"), (":path", path)] + more
        return frame(Kind.headers, endStream | endHeaders, stream, block(fields))
    }
}
