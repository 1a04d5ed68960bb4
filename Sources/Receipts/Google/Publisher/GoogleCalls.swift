import Commerce
import JSON
import OutgoingRequests

/// A client of the Developer API for one app, with the service account's token.
struct GoogleCalls: Sendable {
    /// `…/androidpublisher/v3/applications/PACKAGE/purchases`.
    let url: ServiceURL
    let http: OutgoingHTTP
    let tokens: TokenCache
    let protected: ProtectedStore

    enum Reply: Sendable {
        case found(JSONValue)
        /// The purchase is over, and Google no longer returns its details.
        case gone
        case rejected(ReceiptRejection)
    }

    func get(_ segments: [String]) async throws -> Reply {
        guard let url = url.appending(segments) else { return .rejected(ReceiptRejection(.malformed)) }
        let request = OutboundRequest(url: url, isRepeatable: true)
        return try await protected.perform { try Self.reply(try await send(request)) }
    }

    func post(_ segments: [String], method: String) async throws {
        guard let url = url.appending(segments, suffix: ":\(method)") else { return }
        var request = OutboundRequest(method: "POST", url: url, body: Array("{}".utf8), isRepeatable: true)
        request.headers = [OutboundRequest.Header(name: "Content-Type", value: "application/json")]
        _ = try await protected.perform { [request] in
            let response = try await send(request)
            guard (200..<300).contains(response.status) else {
                throw GoogleFailure.notAcknowledged(status: response.status)
            }
        }
    }

    /// Sends a request with the current token. If Google rejects the token, sends it once more with a new token.
    private func send(_ request: OutboundRequest) async throws -> OutboundResponse {
        func attempt(_ token: String) async throws -> OutboundResponse {
            var request = request
            request.headers.append(OutboundRequest.Header(name: "Authorization", value: "Bearer \(token)"))
            return try await http.send(request)
        }
        let token = try await tokens.token()
        let response = try await attempt(token)
        guard response.status == 401, let other = try await tokens.replacement(of: token) else { return response }
        return try await attempt(other)
    }

    static func reply(_ response: OutboundResponse) throws(GoogleFailure) -> Reply {
        switch response.status {
        case 200:
            guard let json = try? JSONParser.parse(response.body) else { throw .unrecognizedResponse }
            return .found(json)
        case 400: return .rejected(ReceiptRejection(.notFound, code: 400))
        case 401, 403: throw .notAllowed(status: response.status)
        case 404:
            // The same status also means that the app does not exist or belongs to another account.
            if reasons(response).contains("applicationNotFound") { throw .notAllowed(status: 404) }
            return .rejected(ReceiptRejection(.notFound, code: 404))
        case 410: return .gone
        default: throw .status(response.status)
        }
    }

    private static func reasons(_ response: OutboundResponse) -> [String] {
        let json = try? JSONParser.parse(response.body)
        return json?["error"]?["errors"]?.items?.compactMap { $0["reason"]?.text } ?? []
    }
}
