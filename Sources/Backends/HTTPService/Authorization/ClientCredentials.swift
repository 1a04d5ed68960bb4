import Foundation
import JSON
import OutgoingRequests
import Primitives
import Settings

/// `Authorization: Bearer` with a token of the client's own, obtained by the client credentials grant of OAuth 2
/// (RFC 6749 section 4.4).
final class ClientCredentials: Authorization {
    /// The token endpoint and the parameters of a token request.
    struct Endpoint: Sendable {
        let url: ServiceURL
        let client: String
        let secret: String
        let parameters: [(name: String, value: String)]
        let isInBody: Bool

        private enum Place: String, CaseIterable {
            case header, body
        }

        /// Reads `token_url`, `client`, `secret`, `scope`, `audience` and `credentials_in` (`header` or `body`;
        /// default: `header`).
        init(_ section: SettingsSection) throws(SettingsError) {
            guard let url = ServiceURL(try section.requiredString("token_url", expected: "a URL")) else {
                throw section.error(
                    "token_url", expected: "expected an http or https URL without user name or fragment")
            }
            self.url = url
            client = try section.requiredString("client", expected: "the client's identifier")
            guard let secret = try section.externalSecret("secret") else {
                throw section.error("secret", expected: "missing; expected {file: PATH} or {env: NAME}")
            }
            self.secret = secret
            var parameters = [(name: "grant_type", value: "client_credentials")]
            for name in ["scope", "audience"] {
                if let value = try section.string(name) { parameters.append((name, value)) }
            }
            let place: Place = try section.choice("credentials_in", default: .header)
            isInBody = place == .body
            if isInBody { parameters += [("client_id", client), ("client_secret", secret)] }
            self.parameters = parameters
            try section.finish()
        }
    }

    private let tokenCache: TokenCache

    init(_ endpoint: Endpoint, http: OutgoingHTTP, clock: WallClock) {
        tokenCache = TokenCache(clock: clock) { try await Self.fetch(endpoint, http) }
    }

    /// Creates the authorization.
    ///
    /// - Parameter tokenCache: the source of the tokens.
    init(tokenCache: TokenCache) {
        self.tokenCache = tokenCache
    }

    var names: Set<String> { [] }

    func send(
        _ request: OutboundRequest, _ values: TemplateValues, through http: OutgoingHTTP
    ) async throws -> OutboundResponse {
        func attempt(_ token: String) async throws -> OutboundResponse {
            var request = request
            request.headers.append(OutboundRequest.Header(name: "Authorization", value: "Bearer \(token)"))
            return try await http.send(request)
        }
        let token = try await tokenCache.token()
        let response = try await attempt(token)
        guard response.status == 401, Self.rejectsToken(response) ?? !request.accepts401,
            let other = try await tokenCache.replacement(of: token)
        else { return response }
        return try await attempt(other)
    }

    /// Returns whether the service rejects the token itself (RFC 6750 section 3.1), or nil when the response does
    /// not state the reason.
    static func rejectsToken(_ response: OutboundResponse) -> Bool? {
        let challenges = response.values("WWW-Authenticate").flatMap(ChallengeHeader.parse)
        let errors = challenges.filter { $0.scheme.lowercased() == "bearer" }.compactMap { $0.parameters["error"] }
        return errors.isEmpty ? nil : errors.contains("invalid_token")
    }

    private static func fetch(_ endpoint: Endpoint, _ http: OutgoingHTTP) async throws -> TokenCache.Token {
        let pairs = endpoint.parameters.map {
            "\(TemplateContext.formEncoded($0.name))=\(TemplateContext.formEncoded($0.value))"
        }
        var request = OutboundRequest(method: "POST", url: endpoint.url)
        request.headers = [
            OutboundRequest.Header(name: "Content-Type", value: "application/x-www-form-urlencoded"),
            OutboundRequest.Header(name: "Accept", value: "application/json"),
        ]
        if !endpoint.isInBody {
            // RFC 6749 section 2.3.1: both are form-encoded first.
            let pair = "\(TemplateContext.formEncoded(endpoint.client)):\(TemplateContext.formEncoded(endpoint.secret))"
            request.headers.append(
                OutboundRequest.Header(
                    name: "Authorization", value: "Basic \(Data(pair.utf8).base64EncodedString())"))
        }
        request.body = Array(pairs.joined(separator: "&").utf8)
        request.isRepeatable = true
        let response = try await http.send(request)
        guard response.status == 200 else { throw AuthorizationFailure.tokenRejected(status: response.status) }
        return try token(in: response.body)
    }

    /// Returns the token in the body of a token response (RFC 6749 section 5.1).
    static func token(in body: [UInt8]) throws(AuthorizationFailure) -> TokenCache.Token {
        guard let json = try? JSONParser.parse(body), case .string(let text) = json["access_token"],
            BearerAuthorization.isToken(text), case .string(let type) = json["token_type"],
            type.lowercased() == "bearer"
        else { throw .noToken }
        switch json["expires_in"] {
        // Some servers write the number as a string.
        case .number(let seconds), .string(let seconds):
            guard let seconds = Double(seconds), seconds > 0, seconds < 1e9 else { throw .noToken }
            return TokenCache.Token(text: text, lifetime: seconds)
        case nil, .null: return TokenCache.Token(text: text, lifetime: nil)
        default: throw .noToken
        }
    }
}

/// An error that prevents a request from being authorized.
enum AuthorizationFailure: BackendFailure, Equatable {
    case tokenRejected(status: Int)
    case noToken
    /// A status 401 without a supported Digest challenge.
    case noChallenge
    case alwaysStale

    var cause: String {
        switch self {
        case .tokenRejected(let status): "the token endpoint returned no token (status \(status))"
        case .noToken: "the token endpoint's response has no bearer token"
        case .noChallenge: "the service requires Digest and sent no usable challenge"
        case .alwaysStale: "the service treats its own new nonces as stale"
        }
    }
}
