import NIOCore
import NIOPosix

/// One connection that sends what it is given, and reads only when it is asked to.
public struct RawConnection {
    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    /// What came and was not read yet.
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

    /// Sends also while answers are read.
    public struct Sender: Sendable {
        fileprivate let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>

        public func send(_ text: String) async throws { try await outbound.write(ByteBuffer(string: text)) }
    }

    public var sender: Sender { Sender(outbound: outbound) }

    /// Says that nothing more will be sent, and goes on reading.
    public func finish() { outbound.finish() }

    /// Every answer until the server closes the connection.
    ///
    /// - Parameter isHead: whether the answer of that number is one to HEAD.
    /// - Throws: ``RawHTTP/StrayBytes`` for what is no whole answer.
    public mutating func readAnswers(isHead: (Int) -> Bool = { _ in false }) async throws -> [RawResponse] {
        var bytes = try await readToEnd()
        var answers: [RawResponse] = []
        while !bytes.isEmpty {
            let parser = RawResponseParser(isAnswerToHead: isHead(answers.count), bytes: bytes)
            guard let (answer, rest) = try parser.response(hasEnded: true) else {
                throw RawHTTP.StrayBytes(bytes: bytes)
            }
            answers.append(answer)
            bytes = rest
        }
        return answers
    }

    /// The next bytes; nil when the server closed the connection, with a reset or without.
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

    /// Everything until the server closes the connection.
    public mutating func readToEnd() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let more = try await read() { bytes += more }
        return bytes
    }

    /// One answer; what came after it is read next.
    ///
    /// - Throws: ``RawHTTP/NoAnswer``, and ``RawHTTP/StrayBytes`` when something else stands in its place, such as the body of an
    ///   answer to HEAD.
    public mutating func readAnswer(isHead: Bool = false) async throws -> RawResponse {
        var parser = RawResponseParser(isAnswerToHead: isHead)
        while let bytes = try await read() {
            parser.append(bytes)
            if let (response, rest) = try parser.response(hasEnded: false) {
                pending = rest
                return response
            }
        }
        guard let (response, rest) = try parser.response(hasEnded: true) else { throw RawHTTP.NoAnswer() }
        pending = rest
        return response
    }

    /// Waits until the server closes the connection.
    ///
    /// - Throws: ``RawHTTP/StrayBytes`` when it sent anything more.
    public mutating func readNothingMore() async throws {
        let rest = try await readToEnd()
        if !rest.isEmpty { throw RawHTTP.StrayBytes(bytes: rest) }
    }
}

extension RawHTTP {
    /// Runs the body with a connection, which is closed afterwards, and after so many seconds in any case.
    public func withConnection<Result: Sendable>(
        patience: Int64 = 600,
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
        let patience = channel.channel.eventLoop.scheduleTask(in: .seconds(patience)) { [raw = channel.channel] in
            raw.close(promise: nil)
        }
        defer { patience.cancel() }
        return try await channel.executeThenClose { inbound, outbound in
            var connection = RawConnection(inbound, outbound)
            return try await body(&connection)
        }
    }

    /// Sends the bytes and returns the statuses of all answers until the server closes the connection.
    public func statuses(_ request: [UInt8]) async throws -> [Int] {
        let bytes = try await withConnection { connection in
            // The server may close before it has read everything.
            try? await connection.send(request)
            return try await connection.readToEnd()
        }
        return String(decoding: bytes, as: UTF8.self).matches(of: /HTTP\/1\.[01] ([0-9]{3})/).compactMap { Int($0.1) }
    }
}
