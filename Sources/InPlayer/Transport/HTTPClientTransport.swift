public import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// The default transport, based on AsyncHTTPClient.
public struct HTTPClientTransport: InPlayerTransport {
    /// The maximum size of a response in bytes.
    public static let maxResponseSize = 4 << 20

    /// A client that follows no redirects, because a redirect would send passwords and tokens to an address that a
    /// response chooses.
    private static let noRedirectClient: HTTPClient = {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(10)))
        configuration.decompression = .disabled
        return HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
    }()

    private struct TimedOut: Error, CustomStringConvertible {
        let description = "the response did not arrive in time"
    }

    private let client: HTTPClient
    private let timeout: Int64

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - client: The app's own client, which should follow no redirects, or nil to use the library's client.
    ///   - timeout: The time limit of a whole response in seconds. Default: 30 s.
    public init(client: HTTPClient? = nil, timeout: Int64 = 30) {
        self.client = client ?? Self.noRedirectClient
        self.timeout = timeout
    }

    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        // The client's own timeout ends when the response head is received.
        try await withThrowingTaskGroup(of: TransportResponse.self) { group in
            group.addTask { try await exchange(request) }
            group.addTask {
                try await Task.sleep(for: .seconds(timeout))
                throw TimedOut()
            }
            defer { group.cancelAll() }
            guard let response = try await group.next() else { throw TimedOut() }
            return response
        }
    }

    private func exchange(_ request: TransportRequest) async throws -> TransportResponse {
        var clientRequest = HTTPClientRequest(url: request.url)
        clientRequest.method = HTTPMethod(rawValue: request.method)
        for header in request.headers { clientRequest.headers.add(name: header.name, value: header.value) }
        if !request.body.isEmpty { clientRequest.body = .bytes(request.body) }
        let response = try await client.execute(clientRequest, timeout: .seconds(timeout))
        let body = try await response.body.collect(upTo: Self.maxResponseSize)
        return TransportResponse(status: Int(response.status.code), body: Array(body.readableBytesView))
    }
}
