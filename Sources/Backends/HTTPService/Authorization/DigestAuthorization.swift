import Foundation
import Gatefold
import Synchronization

/// `Authorization: Digest` (RFC 7616): answers the server's challenge, and uses its nonce again until the server wants
/// another.
final class DigestAuthorization: Authorization {
    private struct Known {
        var challenge: DigestChallenge
        let origin: ServiceURL.Origin
        var count: Int
    }

    private let account: AccountTemplate
    private let random: RandomSource
    private let known = Mutex<Known?>(nil)

    init(account: AccountTemplate, random: RandomSource) {
        self.account = account
        self.random = random
    }

    var names: Set<String> { account.names }

    func send(
        _ question: HTTPQuestion, _ values: TemplateValues, through http: OutgoingHTTP
    ) async throws -> HTTPAnswer {
        let (user, password) = try account.render(values)
        // A colon would move the border between user and realm (RFC 7616 section 3.4.2).
        guard !user.contains(":") else { throw Unsendable() }
        func attempt(_ challenge: (DigestChallenge, count: Int)?) async throws -> HTTPAnswer {
            var question = question
            if let (challenge, count) = challenge {
                let header = challenge.answer(
                    user: user, password: password, method: question.method, target: question.url.target, count: count,
                    clientNonce: Data(random.bytes(16)).base64EncodedString())
                question.headers.append(HTTPQuestion.Header(name: "Authorization", value: header))
            }
            return try await http.send(question)
        }
        let answer = try await attempt(next(at: question.url.origin))
        guard answer.status == 401, let challenge = DigestChallenge(answer.values("WWW-Authenticate")) else {
            return answer
        }
        known.withLock { $0 = Known(challenge: challenge, origin: question.url.origin, count: 1) }
        // Without a nonce, with an old one (`stale`), or refused: only a fresh one tells which. Once.
        return try await attempt((challenge, 1))
    }

    private func next(at origin: ServiceURL.Origin) -> (DigestChallenge, count: Int)? {
        known.withLock { known in
            guard known?.origin == origin else { return nil }
            known?.count += 1
            return known.map { ($0.challenge, $0.count) }
        }
    }
}
