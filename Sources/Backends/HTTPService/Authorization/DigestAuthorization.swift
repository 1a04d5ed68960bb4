import Foundation
import OutgoingRequests
import Primitives
import Synchronization

/// `Authorization: Digest` (RFC 7616). Responds to the server's challenge, and reuses the nonce until the server
/// demands a new one.
final class DigestAuthorization: Authorization {
    private struct CachedChallenge {
        var challenge: DigestChallenge
        let origin: ServiceURL.Origin
        var count: Int
    }

    private let account: AccountTemplate
    private let random: RandomSource
    private let cachedChallenge = Mutex<CachedChallenge?>(nil)

    init(account: AccountTemplate, random: RandomSource) {
        self.account = account
        self.random = random
    }

    var names: Set<String> { account.names }

    func send(
        _ request: OutboundRequest, _ values: TemplateValues, through http: OutgoingHTTP
    ) async throws -> OutboundResponse {
        let (user, password) = try account.render(values)
        func attempt(_ challenge: (DigestChallenge, count: Int)?) async throws -> OutboundResponse {
            var request = request
            if let (challenge, count) = challenge {
                let header = challenge.response(
                    user: user, password: password, method: request.method, target: request.url.target, count: count,
                    clientNonce: Data(random.bytes(16)).base64EncodedString())
                request.headers.append(OutboundRequest.Header(name: "Authorization", value: header))
            }
            return try await http.send(request)
        }
        func challenge(_ response: OutboundResponse) -> DigestChallenge? {
            let challenge = DigestChallenge(response.values("WWW-Authenticate"))
            if let challenge {
                cachedChallenge.withLock {
                    $0 = CachedChallenge(challenge: challenge, origin: request.url.origin, count: 1)
                }
            }
            return challenge
        }
        let cached = next(at: request.url.origin)
        let response = try await attempt(cached)
        guard response.status == 401 else { return response }
        guard let first = challenge(response) else {
            // The request carried no account, or perhaps an old nonce. Neither is a rejection of the reader.
            guard cached != nil, names.isEmpty else { throw AuthorizationFailure.noChallenge }
            return response
        }
        // The request had no nonce, an old nonce (`stale`) or wrong credentials. Only a retry with a fresh nonce
        // distinguishes these cases.
        let second = try await attempt((first, 1))
        guard second.status == 401, let renewed = challenge(second), renewed.isStale else { return second }
        // The fresh nonce is already stale, because several servers use nonces of their own or because nonces
        // expire quickly. The password was not rejected.
        let third = try await attempt((renewed, 1))
        guard third.status == 401, challenge(third)?.isStale ?? false else { return third }
        throw AuthorizationFailure.alwaysStale
    }

    private func next(at origin: ServiceURL.Origin) -> (DigestChallenge, count: Int)? {
        cachedChallenge.withLock { cachedChallenge in
            guard cachedChallenge?.origin == origin else { return nil }
            cachedChallenge?.count += 1
            return cachedChallenge.map { ($0.challenge, $0.count) }
        }
    }
}
