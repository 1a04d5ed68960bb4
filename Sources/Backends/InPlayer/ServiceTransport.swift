import Foundation
import InPlayer
import OutgoingRequests

/// A transport of the client library's requests over Gatefold's HTTP client with the backend's settings.
///
/// It accepts rejections of credentials (for an authentication), of a token (401) and of access (402) only in the
/// format of the service's own errors. Responses of an intermediate proxy or error page must not count as
/// rejections.
///
/// Source: Pitfall 9, “Outage and rejection confused”.
struct ServiceTransport: InPlayerTransport {
    let send: @Sendable (OutboundRequest) async throws -> OutboundResponse

    static func isUsable(_ services: String) -> Bool { ServiceURL(services) != nil }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard let url = ServiceURL(request.url) else { throw InPlayerFailure.unrecognizedResponse(item: nil) }
        let isAuthentication = request.method == "POST" && request.url.hasSuffix("/accounts/authenticate")
        var outboundRequest = OutboundRequest(method: request.method, url: url, accepts401: true)
        outboundRequest.headers = request.headers.map { OutboundRequest.Header(name: $0.name, value: $0.value) }
        if !request.body.isEmpty { outboundRequest.body = request.body }
        // A refresh token may be valid only once.
        outboundRequest.isRepeatable =
            request.method == "GET" || isAuthentication && request.body.contains(Array("grant_type=password&".utf8))
        let response = try await send(outboundRequest)
        let isRejection =
            [401, 402].contains(response.status) || isAuthentication && (400..<500).contains(response.status)
        guard !isRejection || Self.isServiceError(response.body) else {
            throw InPlayerFailure.status(response.status, item: nil)
        }
        return TransportResponse(status: response.status, body: response.body)
    }

    /// Returns whether a body is an object with a `code`, which all of the service's errors have, or with `errors`.
    ///
    /// Source: InPlayer protocol, “Error document”.
    static func isServiceError(_ body: [UInt8]) -> Bool {
        struct Form: Decodable {
            private enum CodingKeys: CodingKey { case code, errors }

            init(from decoder: any Decoder) throws {
                let members = try decoder.container(keyedBy: CodingKeys.self)
                if (try? members.decode(Int.self, forKey: .code)) != nil { return }
                if let code = try? members.decode(String.self, forKey: .code), Int(code) != nil { return }
                _ = try members.nestedContainer(keyedBy: CodingKeys.self, forKey: .errors)
            }
        }
        return (try? JSONDecoder().decode(Form.self, from: Data(body))) != nil
    }
}
