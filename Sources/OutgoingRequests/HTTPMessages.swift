/// A request to another system.
package struct OutboundRequest: Sendable {
    package var method = "GET"
    package var url: ServiceURL
    /// The headers, except `Host`, `Content-Length`, `Accept-Encoding` and `User-Agent`.
    package var headers: [Header] = []
    package var body: [UInt8]?
    /// A Boolean value that indicates whether the request is idempotent, so that it may be repeated when a reused
    /// connection turns out to be closed (RFC 9110 section 9.2.2).
    package var isRepeatable = false
    /// A Boolean value that indicates whether status 401 may be a regular response, and not only a rejection of the
    /// service's credentials.
    package var accepts401 = false

    package init(
        method: String = "GET", url: ServiceURL, headers: [Header] = [], body: [UInt8]? = nil,
        isRepeatable: Bool = false, accepts401: Bool = false
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.isRepeatable = isRepeatable
        self.accepts401 = accepts401
    }

    package struct Header: Sendable, Equatable {
        package let name: String
        package let value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }
}

/// The complete response.
package struct OutboundResponse: Sendable, Equatable {
    package var status: Int
    package var headers: [OutboundRequest.Header]
    package var body: [UInt8]

    package init(status: Int, headers: [OutboundRequest.Header], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Returns the values of a header, in their order.
    package func values(_ name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }
}
