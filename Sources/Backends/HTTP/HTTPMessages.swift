/// A request to a subscriber system.
struct HTTPQuestion: Sendable {
    var method = "GET"
    var url: ServiceURL
    /// Besides `Host`, `Content-Length`, `Accept-Encoding` and `User-Agent`.
    var headers: [Header] = []
    var body: [UInt8]?
    /// Whether asking twice is the same as asking once, so that it may be sent again when a kept connection turns out to
    /// have been closed (RFC 9110 section 9.2.2).
    var isRepeatable = false
    /// Whether a status 401 may be an answer, so that it need not be about who asks.
    var hasMeaningFor401 = false

    struct Header: Sendable, Equatable {
        let name: String
        let value: String
    }
}

/// What came back, whole.
struct HTTPAnswer: Sendable, Equatable {
    var status: Int
    var headers: [HTTPQuestion.Header]
    var body: [UInt8]

    /// The values of a header, in their order.
    func values(_ name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }
}
