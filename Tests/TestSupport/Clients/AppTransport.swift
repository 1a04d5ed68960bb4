/// The transport of a scripted app. Sends whole URLs unchanged.
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

        /// The part after the scheme and the host.
        public var target: String {
            guard let scheme = url.firstRange(of: "://") else { return url }
            let rest = url[scheme.upperBound...]
            return rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? "/"
        }
    }

    /// An error for a URL that ``plain`` does not follow.
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

    /// Sends a request and follows redirects like an app's system.
    public func send(_ request: Request) async throws -> RawResponse {
        var request = request
        for _ in 0..<5 {
            let response = try await exchange(request)
            guard [301, 302, 303, 307].contains(response.status), let location = response["Location"] else {
                return response
            }
            if request.method != "HEAD" { request.method = "GET" }
            request.body = []
            request.fields.removeAll { $0.0.lowercased() == "content-type" }
            request.url = location
        }
        throw NotLocal(url: request.url)
    }

    /// Sends one request without following redirects.
    public func sendOnce(_ request: Request) async throws -> RawResponse { try await exchange(request) }
}
