import AsyncHTTPClient
import InPlayer
import NIOCore
import TestSupport

/// Sends real HTTP and records the requests.
struct CountedTransport: InPlayerTransport {
    private let transport = HTTPClientTransport(client: extended, timeout: 600)
    private let received = Locked<[TransportRequest]>([])

    /// Hundreds of parallel calls wait for one of eight connections, which takes long on a busy machine.
    private static let extended: HTTPClient = {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(600)))
        configuration.decompression = .disabled
        return HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
    }()

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        received.withLock { $0.append(request) }
        return try await transport.send(request)
    }

    /// The number of token renewals.
    var renewals: Int {
        received.withLock { requests in
            requests.filter { request in
                request.url.hasSuffix("/accounts/authenticate")
                    && String(decoding: request.body, as: UTF8.self).contains("grant_type=refresh_token")
            }.count
        }
    }
}
