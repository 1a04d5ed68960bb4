/// One call of the service, before it is known to whom and by whom (PROTOCOLS 5.2).
struct Endpoint: Sendable {
    enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    enum Authorization: Sendable {
        /// Goes without a token even while somebody is signed in.
        case none
        case required
    }

    var method: Method
    /// Segments, not yet encoded.
    var path: [String]
    var authorization: Authorization
    var query = FormFields()
    var body = FormFields()

    init(_ method: Method, _ path: String..., authorization: Authorization = .none) {
        self.method = method
        self.path = path
        self.authorization = authorization
    }

    /// - Parameters:
    ///   - base: without a slash at its end.
    ///   - token: an access token.
    func request(to base: String, token: String?) -> TransportRequest {
        var url = base
        for segment in path { url += "/" + PercentEncoding.encode(segment) }
        if !query.isEmpty { url += "?\(query.encoded)" }
        return TransportRequest(
            method: method.rawValue, url: url, headers: Self.headers(token: token, hasBody: !body.isEmpty),
            body: Array(body.encoded.utf8))
    }

    static func headers(token: String?, hasBody: Bool = false) -> [TransportRequest.Header] {
        var headers = [TransportRequest.Header("Accept", "application/json")]
        if hasBody { headers.append(.init("Content-Type", "application/x-www-form-urlencoded")) }
        if let token { headers.append(.init("Authorization", "Bearer \(token)")) }
        return headers
    }
}
