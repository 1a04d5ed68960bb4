import InPlayer
import TestSupport

/// Real HTTP, and what was asked over it.
struct CountedTransport: InPlayerTransport {
    private let transport = HTTPClientTransport()
    private let kept = Kept<[TransportRequest]>([])

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        kept.withLock { $0.append(request) }
        return try await transport.send(request)
    }

    /// How often new tokens were asked for.
    var renewals: Int {
        kept.withLock { requests in
            requests.filter { request in
                request.url.hasSuffix("/accounts/authenticate")
                    && String(decoding: request.body, as: UTF8.self).contains("grant_type=refresh_token")
            }.count
        }
    }
}
