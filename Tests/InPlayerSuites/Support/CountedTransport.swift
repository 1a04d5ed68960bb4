import AsyncHTTPClient
import InPlayer
import NIOCore
import TestSupport

/// Real HTTP, and what was asked over it.
struct CountedTransport: InPlayerTransport {
    private let transport = HTTPClientTransport(client: patient, timeout: 600)
    private let kept = Kept<[TransportRequest]>([])

    /// Hundreds of calls at once wait for one of eight connections, which takes its time on a busy machine.
    private static let patient: HTTPClient = {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(600)))
        configuration.decompression = .disabled
        return HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
    }()

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
