public import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// The transport used unless another is given: AsyncHTTPClient.
public struct HTTPClientTransport: InPlayerTransport {
    /// The largest answer that is read, in bytes.
    public static let largestAnswer = 4 << 20

    /// Follows no redirects: it would carry passwords and tokens to wherever an answer says.
    private static let unredirected: HTTPClient = {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(10)))
        configuration.decompression = .disabled
        return HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
    }()

    private struct TimedOut: Error, CustomStringConvertible {
        let description = "the answer did not come in time"
    }

    private let client: HTTPClient
    private let timeout: Int64

    /// - Parameters:
    ///   - client: one of the app's own, which should follow no redirects; one of this library's unless said.
    ///   - timeout: how long a whole answer is waited for, in seconds.
    public init(client: HTTPClient? = nil, timeout: Int64 = 30) {
        self.client = client ?? Self.unredirected
        self.timeout = timeout
    }

    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        // The client's own timeout ends with the head of an answer.
        try await withThrowingTaskGroup(of: TransportResponse.self) { group in
            group.addTask { try await exchange(request) }
            group.addTask {
                try await Task.sleep(for: .seconds(timeout))
                throw TimedOut()
            }
            defer { group.cancelAll() }
            guard let answer = try await group.next() else { throw TimedOut() }
            return answer
        }
    }

    private func exchange(_ request: TransportRequest) async throws -> TransportResponse {
        var asked = HTTPClientRequest(url: request.url)
        asked.method = HTTPMethod(rawValue: request.method)
        for header in request.headers { asked.headers.add(name: header.name, value: header.value) }
        if !request.body.isEmpty { asked.body = .bytes(request.body) }
        let answer = try await client.execute(asked, timeout: .seconds(timeout))
        let body = try await answer.body.collect(upTo: Self.largestAnswer)
        return TransportResponse(status: Int(answer.status.code), body: Array(body.readableBytesView))
    }
}
