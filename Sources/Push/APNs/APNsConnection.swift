import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import OutgoingRequests
import Protections
import Synchronization

/// One connection to APNs over HTTP/2, on which all notifications travel at once, each on its own stream.
///
/// A connection that stands still would hold all of them for as long as TCP takes to notice; so one on which an answer is
/// overdue is given up, and the next request opens another.
final class APNsConnection: Sendable {
    private struct State {
        var client: HTTPClient
        var number = 0
    }

    struct Answer: Sendable {
        let status: Int
        let retryAfter: String?
        let body: [UInt8]
    }

    private let base: ServiceURL
    private let configuration: HTTPClient.Configuration
    private let deadline: Deadline
    private let state: Mutex<State>

    /// - Parameter timeout: from the request to the end of its answer, in seconds.
    init(to base: ServiceURL, tls: TLSConfiguration, timeout: TimeInterval) {
        self.base = base
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow, timeout: .init(connect: .seconds(10)))
        configuration.httpVersion = .automatic
        configuration.proxy = nil
        configuration.decompression = .disabled
        // Until it is known that the other side speaks HTTP/2, so many connections would be opened.
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

    /// - Throws: ``HTTPFailure``.
    func post(_ path: String, headers: [(name: String, value: String)], body: [UInt8]) async throws -> Answer {
        let (client, number) = state.withLock { ($0.client, $0.number) }
        let url = base.text + path
        do {
            return try await deadline.bound({ try await Self.post(client, url, headers, body) }, ended: {})
        } catch ProtectionError.deadlineExceeded {
            giveUp(number)
            throw HTTPFailure.timedOut
        } catch {
            throw HTTPFailure(error)
        }
    }

    private static func post(
        _ client: HTTPClient, _ url: String, _ headers: [(name: String, value: String)], _ body: [UInt8]
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        for header in headers { request.headers.add(name: header.name, value: header.value) }
        request.headers.add(name: "user-agent", value: "Gatefold")
        request.body = .bytes(body)
        let response = try await client.execute(request, deadline: .distantFuture)
        guard response.version.major == 2 else { throw HTTPFailure.other("it does not speak HTTP/2") }
        let content = try await response.body.collect(upTo: largestAnswer)
        return Answer(
            status: Int(response.status.code), retryAfter: response.headers.first(name: "retry-after"),
            body: Array(content.readableBytesView))
    }

    private static let largestAnswer = 64 << 10

    /// On one event loop, because the client opens a connection for each.
    private static func client(_ configuration: HTTPClient.Configuration) -> HTTPClient {
        HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup.next(), configuration: configuration)
    }

    /// What else is under way on the connection fails as one that was lost, and is asked again on the next.
    private func giveUp(_ number: Int) {
        let old = state.withLock { state -> HTTPClient? in
            guard state.number == number else { return nil }
            defer { state = State(client: Self.client(configuration), number: number + 1) }
            return state.client
        }
        old?.shutdown { _ in }
    }
}
