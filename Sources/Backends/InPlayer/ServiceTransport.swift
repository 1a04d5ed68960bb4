import Foundation
import Gatefold
import InPlayer
import OutgoingRequests

/// Carries the client library's requests over our own HTTP, by the settings of the backend.
///
/// It lets those refusals through that count, of credentials (to an authentication) and of access (402), only with the form
/// of the service's own errors: a proxy or an error page in between must not be taken for it (PITFALLS row 9).
struct ServiceTransport: InPlayerTransport {
    let send: @Sendable (HTTPQuestion) async throws -> HTTPAnswer

    static func canAsk(_ services: String) -> Bool { ServiceURL(services) != nil }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard let url = ServiceURL(request.url) else { throw InPlayerFailure.notUnderstood(item: nil) }
        let isAuthentication = request.method == "POST" && request.url.hasSuffix("/accounts/authenticate")
        var question = HTTPQuestion(method: request.method, url: url, hasMeaningFor401: true)
        question.headers = request.headers.map { HTTPQuestion.Header(name: $0.name, value: $0.value) }
        if !request.body.isEmpty { question.body = request.body }
        // A refresh token may be good for one time only.
        question.isRepeatable =
            request.method == "GET" || isAuthentication && request.body.contains(Array("grant_type=password&".utf8))
        let answer = try await send(question)
        let isRefusal = answer.status == 402 || isAuthentication && (400..<500).contains(answer.status)
        guard !isRefusal || Self.isOwnError(answer.body) else { throw InPlayerFailure.status(answer.status, item: nil) }
        return TransportResponse(status: answer.status, body: answer.body)
    }

    /// An object with a `code`, which all of the service's errors have, or with `errors` (PROTOCOLS 5.3).
    static func isOwnError(_ body: [UInt8]) -> Bool {
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
