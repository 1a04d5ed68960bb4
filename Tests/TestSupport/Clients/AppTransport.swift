/// How a scripted app sends its requests: it is given whole URLs, and changes nothing in them.
public struct AppTransport: Sendable {
    public struct Request: Sendable {
        public var method: String
        public var url: String
        public var fields: [(String, String)] = []
        public var body: [UInt8] = []

        public init(method: String, url: String, fields: [(String, String)] = [], body: [UInt8] = []) {
            self.method = method
            self.url = url
            self.fields = fields
            self.body = body
        }

        /// What stands behind scheme and host.
        public var target: String {
            guard let scheme = url.firstRange(of: "://") else { return url }
            let rest = url[scheme.upperBound...]
            return rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? "/"
        }
    }

    /// What a URL must be for ``plain`` to follow it.
    public struct NotLocal: Error {
        public let url: String
    }

    private let exchange: @Sendable (Request) async throws -> RawResponse

    public init(_ exchange: @escaping @Sendable (Request) async throws -> RawResponse) {
        self.exchange = exchange
    }

    /// Plain HTTP to any port of 127.0.0.1.
    public static let plain = AppTransport { request in
        guard let match = request.url.prefixMatch(of: /http:\/\/(?:127\.0\.0\.1|localhost):([0-9]+)/),
            let port = Int(match.1)
        else { throw NotLocal(url: request.url) }
        let http = RawHTTP(port: port)
        return request.method == "POST"
            ? try await http.post(request.target, request.fields, request.body)
            : try await http.send(request.method, request.target, request.fields)
    }

    /// Sends a request and follows where the answer leads, as apps' systems do.
    public func send(_ request: Request) async throws -> RawResponse {
        var request = request
        for _ in 0..<5 {
            let answer = try await exchange(request)
            guard [301, 302, 303, 307].contains(answer.status), let location = answer["Location"] else { return answer }
            if request.method != "HEAD" { request.method = "GET" }
            request.body = []
            request.fields.removeAll { $0.0.lowercased() == "content-type" }
            request.url = location
        }
        throw NotLocal(url: request.url)
    }

    /// Sends one request and follows nothing.
    public func sendOnce(_ request: Request) async throws -> RawResponse { try await exchange(request) }
}
