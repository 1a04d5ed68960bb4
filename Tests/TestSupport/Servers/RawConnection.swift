import NIOCore
import NIOPosix

/// A connection that sends the given bytes and reads only on demand.
public struct RawConnection {
    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    /// The received bytes that were not read yet.
    private var pending: [UInt8] = []

    fileprivate init(
        _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>, _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) {
        self.inbound = inbound.makeAsyncIterator()
        self.outbound = outbound
    }

    public func send(_ bytes: [UInt8]) async throws {
        try await outbound.write(ByteBuffer(bytes: bytes))
    }

    public func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    /// A sender that works while responses are read.
    public struct Sender: Sendable {
        fileprivate let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>

        public func send(_ text: String) async throws { try await outbound.write(ByteBuffer(string: text)) }
    }

    public var sender: Sender { Sender(outbound: outbound) }

    /// Closes the sending side. Reading continues.
    public func finish() { outbound.finish() }

    /// Reads every response until the server closes the connection.
    ///
    /// - Parameter isHead: Returns whether the response with the index belongs to a HEAD request.
    /// - Throws: ``RawHTTP/StrayBytes`` for an incomplete response.
    public mutating func readResponses(isHead: (Int) -> Bool = { _ in false }) async throws -> [RawResponse] {
        var bytes = try await readToEnd()
        var responses: [RawResponse] = []
        while !bytes.isEmpty {
            let parser = RawResponseParser(isResponseToHead: isHead(responses.count), bytes: bytes)
            guard let (response, rest) = try parser.response(hasEnded: true) else {
                throw RawHTTP.StrayBytes(bytes: bytes)
            }
            responses.append(response)
            bytes = rest
        }
        return responses
    }

    /// Returns the next bytes, or nil if the server closed or reset the connection.
    public mutating func read() async throws -> [UInt8]? {
        if !pending.isEmpty {
            defer { pending = [] }
            return pending
        }
        do {
            return try await inbound.next(isolation: #isolation).map { Array(buffer: $0) }
        } catch is IOError {
            return nil
        }
    }

    /// Reads everything until the server closes the connection.
    public mutating func readToEnd() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let more = try await read() { bytes += more }
        return bytes
    }

    /// Reads one response and keeps the bytes after it for the next read.
    ///
    /// - Throws: ``RawHTTP/NoResponse``, or ``RawHTTP/StrayBytes`` for other bytes in its place, such as the body of a
    ///   response to HEAD.
    public mutating func readResponse(isHead: Bool = false) async throws -> RawResponse {
        var parser = RawResponseParser(isResponseToHead: isHead)
        while let bytes = try await read() {
            parser.append(bytes)
            if let (response, rest) = try parser.response(hasEnded: false) {
                pending = rest
                return response
            }
        }
        guard let (response, rest) = try parser.response(hasEnded: true) else { throw RawHTTP.NoResponse() }
        pending = rest
        return response
    }

    /// Waits until the server closes the connection.
    ///
    /// - Throws: ``RawHTTP/StrayBytes`` if the server sent more bytes.
    public mutating func readNothingMore() async throws {
        let rest = try await readToEnd()
        if !rest.isEmpty { throw RawHTTP.StrayBytes(bytes: rest) }
    }
}

extension RawHTTP {
    /// Runs the body with a connection, which is closed afterwards or after the time limit.
    public func withConnection<Result: Sendable>(
        stallTimeout: Int64 = 600,
        _ body: @Sendable (inout RawConnection) async throws -> Result
    ) async throws -> Result {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connectTimeout(.seconds(5))
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(isOutboundHalfClosureEnabled: true))
                }
            }
        let stallTimeout = channel.channel.eventLoop.scheduleTask(in: .seconds(stallTimeout)) {
            [raw = channel.channel] in
            raw.close(promise: nil)
        }
        defer { stallTimeout.cancel() }
        return try await channel.executeThenClose { inbound, outbound in
            var connection = RawConnection(inbound, outbound)
            return try await body(&connection)
        }
    }

    /// Sends the bytes and returns the statuses of all responses until the server closes the connection.
    public func statuses(_ request: [UInt8]) async throws -> [Int] {
        let bytes = try await withConnection { connection in
            // The server may close the connection before it has read everything.
            try? await connection.send(request)
            return try await connection.readToEnd()
        }
        return String(decoding: bytes, as: UTF8.self).matches(of: /HTTP\/1\.[01] ([0-9]{3})/).compactMap { Int($0.1) }
    }
}
