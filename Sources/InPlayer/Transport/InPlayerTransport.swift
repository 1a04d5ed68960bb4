/// A transport of HTTP requests: all of HTTP that this library needs.
public protocol InPlayerTransport: Sendable {
    /// Sends a request and returns its response.
    ///
    /// - Throws: An error if there is no response. A response with an error status is returned.
    func send(_ request: TransportRequest) async throws -> TransportResponse
}

/// An HTTP request.
///
/// Its description contains no query, headers or body, because they contain passwords and tokens.
public struct TransportRequest: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    public var method: String
    public var url: String
    /// The headers, in the order of transmission.
    public var headers: [Header]
    public var body: [UInt8]

    public struct Header: Sendable, Hashable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    public init(method: String, url: String, headers: [Header] = [], body: [UInt8] = []) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// Returns the value of the first header with this name. The comparison ignores case.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    public var description: String { "\(method) \(url.prefix { $0 != "?" })" }
    public var debugDescription: String { description }
}

/// An HTTP response.
public struct TransportResponse: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    public var status: Int
    public var body: [UInt8]

    public init(status: Int, body: [UInt8] = []) {
        self.status = status
        self.body = body
    }

    public var description: String { "\(status), \(body.count) bytes" }
    public var debugDescription: String { description }
}
