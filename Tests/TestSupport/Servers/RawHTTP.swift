/// An HTTP/1.1 client that sends exactly the given bytes without normalization.
public struct RawHTTP: Sendable {
    /// The server closed the connection, or sent nothing for twenty seconds, before its response was complete.
    public struct NoResponse: Error {
        public init() {}
    }

    /// The server sent unexpected bytes instead of a response.
    public struct StrayBytes: Error, CustomStringConvertible {
        public let bytes: [UInt8]

        public var description: String { "stray: \(String(decoding: bytes.prefix(200), as: UTF8.self))" }
    }

    public let port: Int

    /// - Parameter port: The port of 127.0.0.1.
    public init(port: Int) {
        self.port = port
    }

    /// Sends one request on its own connection. No bytes may follow the response.
    ///
    /// - Parameters:
    ///   - target: The request target, sent unchanged and unescaped.
    ///   - fields: Header fields, sent in this order after `Host` and `Connection: close`.
    public func send(
        _ method: String = "GET", _ target: some StringProtocol, _ fields: [(String, String)] = []
    ) async throws -> RawResponse {
        try await send(method, Array(target.utf8), fields)
    }

    /// Sends a request whose target is any bytes, not necessarily text.
    public func send(
        _ method: String = "GET", _ target: [UInt8], _ fields: [(String, String)] = []
    ) async throws -> RawResponse {
        var request = Array("\(method) ".utf8) + target
        request += Array(" HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n".utf8)
        for (name, value) in fields { request += Array("\(name): \(value)\r\n".utf8) }
        return try await exchange(request + Array("\r\n".utf8), isHead: method == "HEAD", isLast: true)
    }

    /// Sends the bytes and reads one response.
    ///
    /// - Parameter isLast: Whether the request asks to close the connection. No bytes may then follow the response.
    public func exchange(_ request: [UInt8], isHead: Bool = false, isLast: Bool = false) async throws -> RawResponse {
        try await withConnection { connection in
            try await connection.send(request)
            let response = try await connection.readResponse(isHead: isHead)
            if isLast { try await connection.readNothingMore() }
            return response
        }
    }
}
