/// An HTTP/1.1 client that sends exactly the bytes it is given, so that nothing is normalised on the way.
public struct RawHTTP: Sendable {
    /// The server closed the connection, or said nothing for twenty seconds, before its answer was complete.
    public struct NoAnswer: Error {
        public init() {}
    }

    /// The server sent something where no answer, or another one, was due.
    public struct StrayBytes: Error, CustomStringConvertible {
        public let bytes: [UInt8]

        public var description: String { "stray: \(String(decoding: bytes.prefix(200), as: UTF8.self))" }
    }

    public let port: Int

    /// - Parameter port: of 127.0.0.1.
    public init(port: Int) {
        self.port = port
    }

    /// Sends one request on a connection of its own, after whose answer nothing may come.
    ///
    /// - Parameters:
    ///   - target: the request target, not escaped or changed in any way.
    ///   - fields: sent after `Host` and `Connection: close`, in this order.
    public func send(
        _ method: String = "GET", _ target: some StringProtocol, _ fields: [(String, String)] = []
    ) async throws -> RawResponse {
        try await send(method, Array(target.utf8), fields)
    }

    /// The same with a target of any bytes, which need not be text.
    public func send(
        _ method: String = "GET", _ target: [UInt8], _ fields: [(String, String)] = []
    ) async throws -> RawResponse {
        var request = Array("\(method) ".utf8) + target
        request += Array(" HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n".utf8)
        for (name, value) in fields { request += Array("\(name): \(value)\r\n".utf8) }
        return try await exchange(request + Array("\r\n".utf8), isHead: method == "HEAD", isLast: true)
    }

    /// Sends the bytes and reads one answer.
    ///
    /// - Parameter isLast: whether the request asks for the connection to be closed: nothing may then come after the answer.
    public func exchange(_ request: [UInt8], isHead: Bool = false, isLast: Bool = false) async throws -> RawResponse {
        try await withConnection { connection in
            try await connection.send(request)
            let answer = try await connection.readAnswer(isHead: isHead)
            if isLast { try await connection.readNothingMore() }
            return answer
        }
    }
}
