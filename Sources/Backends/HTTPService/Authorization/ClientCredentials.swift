import Foundation
import Gatefold
import JSON
import OutgoingRequests
import Settings

/// `Authorization: Bearer` with a token of the client's own, by OAuth 2's client credentials grant (RFC 6749 section 4.4).
final class ClientCredentials: Authorization {
    /// Where and how a token is asked for.
    struct Endpoint: Sendable {
        let url: ServiceURL
        let client: String
        let secret: String
        let parameters: [(name: String, value: String)]
        let isInBody: Bool

        private enum Place: String, CaseIterable {
            case header, body
        }

        /// Reads `token_url`, `client`, `secret`, `scope`, `audience` and `credentials_in` (`header`, unless `body`).
        init(_ section: SettingsSection) throws(SettingsError) {
            guard let url = ServiceURL(try section.requiredString("token_url", expected: "a URL")) else {
                throw section.error(
                    "token_url", expected: "expected an http or https URL without user name or fragment")
            }
            self.url = url
            client = try section.requiredString("client", expected: "the client's identifier")
            guard let secret = try section.foreignSecret("secret") else {
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

    private let keeper: TokenKeeper

    init(_ endpoint: Endpoint, http: OutgoingHTTP, clock: WallClock) {
        keeper = TokenKeeper(clock: clock) { try await Self.fetch(endpoint, http) }
    }

    /// - Parameter keeper: where the tokens come from.
    init(keeper: TokenKeeper) {
        self.keeper = keeper
    }

    var names: Set<String> { [] }

    func send(
        _ question: HTTPQuestion, _ values: TemplateValues, through http: OutgoingHTTP
    ) async throws -> HTTPAnswer {
        func attempt(_ token: String) async throws -> HTTPAnswer {
            var question = question
            question.headers.append(HTTPQuestion.Header(name: "Authorization", value: "Bearer \(token)"))
            return try await http.send(question)
        }
        let token = try await keeper.token()
        let answer = try await attempt(token)
        guard answer.status == 401, Self.refusesToken(answer) ?? !question.hasMeaningFor401,
            let other = try await keeper.replacement(of: token)
        else { return answer }
        return try await attempt(other)
    }

    /// Whether a service says that the token is no good (RFC 6750 section 3.1); nil when it does not say what it refuses.
    static func refusesToken(_ answer: HTTPAnswer) -> Bool? {
        let challenges = answer.values("WWW-Authenticate").flatMap(ChallengeHeader.parse)
        let errors = challenges.filter { $0.scheme.lowercased() == "bearer" }.compactMap { $0.parameters["error"] }
        return errors.isEmpty ? nil : errors.contains("invalid_token")
    }

    private static func fetch(_ endpoint: Endpoint, _ http: OutgoingHTTP) async throws -> TokenKeeper.Token {
        let pairs = endpoint.parameters.map {
            "\(TemplatePlace.formEncoded($0.name))=\(TemplatePlace.formEncoded($0.value))"
        }
        var question = HTTPQuestion(method: "POST", url: endpoint.url)
        question.headers = [
            HTTPQuestion.Header(name: "Content-Type", value: "application/x-www-form-urlencoded"),
            HTTPQuestion.Header(name: "Accept", value: "application/json"),
        ]
        if !endpoint.isInBody {
            // RFC 6749 section 2.3.1: both are encoded as in a form first.
            let pair = "\(TemplatePlace.formEncoded(endpoint.client)):\(TemplatePlace.formEncoded(endpoint.secret))"
            question.headers.append(
                HTTPQuestion.Header(
                    name: "Authorization", value: "Basic \(Data(pair.utf8).base64EncodedString())"))
        }
        question.body = Array(pairs.joined(separator: "&").utf8)
        question.isRepeatable = true
        let answer = try await http.send(question)
        guard answer.status == 200 else { throw AuthorizationFailure.tokenRefused(status: answer.status) }
        return try token(in: answer.body)
    }

    /// RFC 6749 section 5.1.
    static func token(in body: [UInt8]) throws(AuthorizationFailure) -> TokenKeeper.Token {
        guard let json = try? JSONParser.parse(body), case .string(let text) = json["access_token"],
            BearerAuthorization.isToken(text), case .string(let type) = json["token_type"],
            type.lowercased() == "bearer"
        else { throw .noToken }
        switch json["expires_in"] {
        // Some servers write the number as a text.
        case .number(let seconds), .string(let seconds):
            guard let seconds = Double(seconds), seconds > 0, seconds < 1e9 else { throw .noToken }
            return TokenKeeper.Token(text: text, lifetime: seconds)
        case nil, .null: return TokenKeeper.Token(text: text, lifetime: nil)
        default: throw .noToken
        }
    }
}

/// Why there is no token to ask with.
enum AuthorizationFailure: BackendFailure, Equatable {
    case tokenRefused(status: Int)
    case noToken
    /// A status 401 without a challenge of Digest that could be answered.
    case noChallenge
    case alwaysStale

    var cause: String {
        switch self {
        case .tokenRefused(let status): "the token endpoint gave no token (status \(status))"
        case .noToken: "the token endpoint's answer has no bearer token"
        case .noChallenge: "the service wants Digest and sent no challenge that can be answered"
        case .alwaysStale: "the service takes its own new nonces for old ones"
        }
    }
}
