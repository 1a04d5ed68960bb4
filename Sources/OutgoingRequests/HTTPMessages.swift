/// A request to another system.
package struct HTTPQuestion: Sendable {
    package var method = "GET"
    package var url: ServiceURL
    /// Besides `Host`, `Content-Length`, `Accept-Encoding` and `User-Agent`.
    package var headers: [Header] = []
    package var body: [UInt8]?
    /// Whether asking twice is the same as asking once, so that it may be sent again when a kept connection turns out to
    /// have been closed (RFC 9110 section 9.2.2).
    package var isRepeatable = false
    /// Whether a status 401 may be an answer, so that it need not be about who asks.
    package var hasMeaningFor401 = false

    package init(
        method: String = "GET", url: ServiceURL, headers: [Header] = [], body: [UInt8]? = nil,
        isRepeatable: Bool = false, hasMeaningFor401: Bool = false
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.isRepeatable = isRepeatable
        self.hasMeaningFor401 = hasMeaningFor401
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

/// What came back, whole.
package struct HTTPAnswer: Sendable, Equatable {
    package var status: Int
    package var headers: [HTTPQuestion.Header]
    package var body: [UInt8]

    package init(status: Int, headers: [HTTPQuestion.Header], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The values of a header, in their order.
    package func values(_ name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }
}
