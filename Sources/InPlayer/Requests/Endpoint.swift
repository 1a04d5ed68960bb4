/// A call of the service, without its base URL and its token.
///
/// Source: InPlayer protocol, “Account calls” and “Item calls”.
struct Endpoint: Sendable {
    enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    enum Authorization: Sendable {
        /// The call has no token, even while a reader is signed in.
        case none
        case required
    }

    var method: Method
    /// The path segments, not encoded.
    var path: [String]
    var authorization: Authorization
    var query = FormFields()
    var body = FormFields()

    init(_ method: Method, _ path: String..., authorization: Authorization = .none) {
        self.method = method
        self.path = path
        self.authorization = authorization
    }

    /// Creates the request.
    ///
    /// - Parameters:
    ///   - base: The base URL without a final slash.
    ///   - token: An access token.
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
