import Gatefold
import JSON
import OutgoingRequests

/// Puts questions to the Developer API under one app's address, with the service account's token.
struct GoogleCalls: Sendable {
    /// `…/androidpublisher/v3/applications/PACKAGE/purchases`.
    let url: ServiceURL
    let http: OutgoingHTTP
    let tokens: TokenKeeper
    let protected: ProtectedStore

    enum Word: Sendable {
        case found(JSONValue)
        /// It is over, and Google tells no more of it.
        case gone
        case refused(ReceiptRefusal)
    }

    func get(_ segments: [String]) async throws -> Word {
        guard let url = url.appending(segments) else { return .refused(ReceiptRefusal(.malformed)) }
        let question = HTTPQuestion(url: url, isRepeatable: true)
        return try await protected.ask { try Self.word(try await send(question)) }
    }

    func post(_ segments: [String], method: String) async throws {
        guard let url = url.appending(segments, suffix: ":\(method)") else { return }
        var question = HTTPQuestion(method: "POST", url: url, body: Array("{}".utf8), isRepeatable: true)
        question.headers = [HTTPQuestion.Header(name: "Content-Type", value: "application/json")]
        _ = try await protected.ask { [question] in
            let answer = try await send(question)
            guard (200..<300).contains(answer.status) else {
                throw GoogleFailure.notAcknowledged(status: answer.status)
            }
        }
    }

    /// With the token there is; where Google refuses that, once more with a new one.
    private func send(_ question: HTTPQuestion) async throws -> HTTPAnswer {
        func attempt(_ token: String) async throws -> HTTPAnswer {
            var question = question
            question.headers.append(HTTPQuestion.Header(name: "Authorization", value: "Bearer \(token)"))
            return try await http.send(question)
        }
        let token = try await tokens.token()
        let answer = try await attempt(token)
        guard answer.status == 401, let other = try await tokens.replacement(of: token) else { return answer }
        return try await attempt(other)
    }

    static func word(_ answer: HTTPAnswer) throws(GoogleFailure) -> Word {
        switch answer.status {
        case 200:
            guard let json = try? JSONParser.parse(answer.body) else { throw .notUnderstood }
            return .found(json)
        case 400: return .refused(ReceiptRefusal(.notFound, code: 400))
        case 401, 403: throw .notAllowed(status: answer.status)
        case 404:
            // The same status says that the app itself is not there, or not theirs.
            if reasons(answer).contains("applicationNotFound") { throw .notAllowed(status: 404) }
            return .refused(ReceiptRefusal(.notFound, code: 404))
        case 410: return .gone
        default: throw .status(answer.status)
        }
    }

    private static func reasons(_ answer: HTTPAnswer) -> [String] {
        let json = try? JSONParser.parse(answer.body)
        return json?["error"]?["errors"]?.items?.compactMap { $0["reason"]?.text } ?? []
    }
}
