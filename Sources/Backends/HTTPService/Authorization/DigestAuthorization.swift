import Foundation
import Gatefold
import OutgoingRequests
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
        func challenge(_ answer: HTTPAnswer) -> DigestChallenge? {
            let challenge = DigestChallenge(answer.values("WWW-Authenticate"))
            if let challenge {
                known.withLock { $0 = Known(challenge: challenge, origin: question.url.origin, count: 1) }
            }
            return challenge
        }
        let kept = next(at: question.url.origin)
        let answer = try await attempt(kept)
        guard answer.status == 401 else { return answer }
        guard let first = challenge(answer) else {
            // Nobody was shown, or perhaps with an old nonce: that refuses no reader.
            guard kept != nil, names.isEmpty else { throw AuthorizationFailure.noChallenge }
            return answer
        }
        // Without a nonce, with an old one (`stale`), or refused: only a fresh one tells which.
        let second = try await attempt((first, 1))
        guard second.status == 401, let renewed = challenge(second), renewed.isStale else { return second }
        // Old already: several servers with nonces of their own, or a short life. The password was not refused.
        let third = try await attempt((renewed, 1))
        guard third.status == 401, challenge(third)?.isStale ?? false else { return third }
        throw AuthorizationFailure.alwaysStale
    }

    private func next(at origin: ServiceURL.Origin) -> (DigestChallenge, count: Int)? {
        known.withLock { known in
            guard known?.origin == origin else { return nil }
            known?.count += 1
            return known.map { ($0.challenge, $0.count) }
        }
    }
}
