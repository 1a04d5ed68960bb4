/// Carries a request to a server and brings back its answer: all of HTTP that this library needs.
public protocol InPlayerTransport: Sendable {
    /// - Throws: when there is no answer. An answer with an error status is an answer.
    func send(_ request: TransportRequest) async throws -> TransportResponse
}

/// One HTTP request.
///
/// Its description has neither query, headers nor body: they carry passwords and tokens.
public struct TransportRequest: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    public var method: String
    public var url: String
    /// Names and values, in this order.
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

    /// The value of the first header of this name, in any case.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    public var description: String { "\(method) \(url.prefix { $0 != "?" })" }
    public var debugDescription: String { description }
}

/// One HTTP answer.
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
