import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import OutgoingRequests
import Resilience
import Synchronization

/// A connection to APNs over HTTP/2. All notifications share it, each on its own stream.
///
/// A stalled connection would block all notifications until TCP detects the stall. A connection with an overdue
/// response is therefore abandoned, and the next request opens another.
final class APNsConnection: Sendable {
    private struct State {
        var client: HTTPClient
        var number = 0
    }

    struct ReceivedResponse: Sendable {
        let status: Int
        let retryAfter: String?
        let body: [UInt8]
    }

    private let base: ServiceURL
    private let configuration: HTTPClient.Configuration
    private let deadline: Deadline
    private let state: Mutex<State>

    /// - Parameter timeout: The time limit in seconds from the request to the end of its response.
    init(to base: ServiceURL, tls: TLSConfiguration, timeout: TimeInterval) {
        self.base = base
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow, timeout: .init(connect: .seconds(10)))
        configuration.httpVersion = .automatic
        configuration.proxy = nil
        configuration.decompression = .disabled
        // Until the client knows that the server speaks HTTP/2, it would open this number of connections.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1
        configuration.connectionPool.idleTimeout = .minutes(10)
        configuration.connectionPool.retryConnectionEstablishment = false
        self.configuration = configuration
        deadline = Deadline(seconds: timeout) { try await Task.sleep(for: .seconds($0)) }
        state = Mutex(State(client: Self.client(configuration)))
    }

    deinit {
        state.withLock { $0.client.shutdown { _ in } }
    }

    /// Sends a POST request.
    ///
    /// - Throws: ``HTTPFailure``.
    func post(_ path: String, headers: [(name: String, value: String)], body: [UInt8]) async throws -> ReceivedResponse
    {
        let (client, number) = state.withLock { ($0.client, $0.number) }
        let url = base.text + path
        do {
            return try await deadline.bound({ try await Self.post(client, url, headers, body) }, ended: {})
        } catch ProtectionError.deadlineExceeded {
            abandon(number)
            throw HTTPFailure.timedOut
        } catch {
            throw HTTPFailure(error)
        }
    }

    private static func post(
        _ client: HTTPClient, _ url: String, _ headers: [(name: String, value: String)], _ body: [UInt8]
    ) async throws -> ReceivedResponse {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        for header in headers { request.headers.add(name: header.name, value: header.value) }
        request.headers.add(name: "user-agent", value: "Gatefold")
        request.body = .bytes(body)
        let response = try await client.execute(request, deadline: .distantFuture)
        guard response.version.major == 2 else { throw HTTPFailure.other("it does not speak HTTP/2") }
        let content = try await response.body.collect(upTo: maxResponseSize)
        return ReceivedResponse(
            status: Int(response.status.code), retryAfter: response.headers.first(name: "retry-after"),
            body: Array(content.readableBytesView))
    }

    private static let maxResponseSize = 64 << 10

    /// Creates a client on a single event loop, because the client opens one connection per event loop.
    private static func client(_ configuration: HTTPClient.Configuration) -> HTTPClient {
        HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup.next(), configuration: configuration)
    }

    /// Abandons a connection. Other requests under way on it fail as on a lost connection, and are retried on the
    /// next one.
    private func abandon(_ number: Int) {
        let old = state.withLock { state -> HTTPClient? in
            guard state.number == number else { return nil }
            defer { state = State(client: Self.client(configuration), number: number + 1) }
            return state.client
        }
        old?.shutdown { _ in }
    }
}
