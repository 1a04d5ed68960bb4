public import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// The transport used unless another is given: AsyncHTTPClient.
public struct HTTPClientTransport: InPlayerTransport {
    /// The largest answer that is read, in bytes.
    public static let largestAnswer = 4 << 20

    private let client: HTTPClient
    private let timeout: TimeAmount

    /// - Parameters:
    ///   - client: the shared one unless said.
    ///   - timeout: how long an answer is waited for, in seconds.
    public init(client: HTTPClient = .shared, timeout: Int64 = 30) {
        self.client = client
        self.timeout = .seconds(timeout)
    }

    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        var asked = HTTPClientRequest(url: request.url)
        asked.method = HTTPMethod(rawValue: request.method)
        for header in request.headers { asked.headers.add(name: header.name, value: header.value) }
        if !request.body.isEmpty { asked.body = .bytes(request.body) }
        let answer = try await client.execute(asked, timeout: timeout)
        let body = try await answer.body.collect(upTo: Self.largestAnswer)
        return TransportResponse(status: Int(answer.status.code), body: Array(body.readableBytesView))
    }
}
