import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// A client for one other system over HTTP/1.1, with reused connections.
///
/// HTTP/2 is not offered. On HTTP/2, a stalled system would block every request on its one connection until TCP
/// detects the stall. On HTTP/1.1, each request that ends early closes only its own connection. No proxy is used.
/// Compressed responses are rejected, so that the size of a response is the number of bytes sent.
///
/// ```swift
/// let http = OutgoingHTTP(try OutgoingHTTPSettings(section))
/// let answer = try await http.send(HTTPQuestion(method: "POST", url: url, headers: headers, body: bytes))
/// ```
package final class OutgoingHTTP: Sendable {
    private let client: HTTPClient
    private let settings: OutgoingHTTPSettings
    private static let maxRedirects = 3

    package init(_ settings: OutgoingHTTPSettings = OutgoingHTTPSettings()) {
        self.settings = settings
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: settings.tls, redirectConfiguration: .disallow,
            timeout: .init(connect: .milliseconds(Int64(settings.connectTimeout * 1000))))
        configuration.httpVersion = .http1Only
        configuration.proxy = nil
        configuration.decompression = .disabled
        // The caller limits the number of concurrent requests, so requests do not wait for a connection here.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1024
        // The timeout is shorter than that of most servers, so that a request rarely meets a connection that is
        // being closed.
        configuration.connectionPool.idleTimeout = .seconds(4)
        // A refused connection is a result. The caller decides whether to retry.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
    }

    deinit {
        // Returns immediately. The client retains itself until its connections are closed.
        client.shutdown { _ in }
    }

    /// Sends a request and reads the whole response, for any status.
    ///
    /// - Throws: ``HTTPFailure``, or `CancellationError` when the calling task was cancelled.
    package func send(_ request: OutboundRequest) async throws -> OutboundResponse {
        do {
            return try await withTimeout { [self] in try await follow(request) }
        } catch {
            if Task.isCancelled { throw CancellationError() }
            throw HTTPFailure(error)
        }
    }

    /// Applies the timeout to the whole response, because AsyncHTTPClient's own deadline ends with the response
    /// head.
    private func withTimeout(_ body: @escaping @Sendable () async throws -> OutboundResponse) async throws
        -> OutboundResponse
    {
        try await withThrowingTaskGroup(of: OutboundResponse.self) { group in
            group.addTask { try await body() }
            group.addTask { [timeout = settings.timeout] in
                try await Task.sleep(for: .seconds(timeout))
                throw HTTPFailure.timedOut
            }
            defer { group.cancelAll() }
            guard let response = try await group.next() else { throw HTTPFailure.timedOut }
            return response
        }
    }

    private func follow(_ request: OutboundRequest) async throws -> OutboundResponse {
        var request = request
        var left = settings.redirects == .never ? 0 : Self.maxRedirects
        while true {
            let response = try await exchangeAgain(request)
            guard left > 0, [301, 302, 303, 307, 308].contains(response.status),
                let location = response.values("location").first, let url = request.url.redirected(to: location)
            else { return response }
            left -= 1
            request.url = url
            // RFC 9110 sections 15.4.2 to 15.4.4: a POST becomes a GET, except for 307 and 308.
            if response.status == 303 || ([301, 302].contains(response.status) && request.method == "POST") {
                request.method = request.method == "HEAD" ? "HEAD" : "GET"
                request.body = nil
                request.headers.removeAll { $0.name.lowercased().hasPrefix("content-") }
            }
        }
    }

    private func exchangeAgain(_ request: OutboundRequest) async throws -> OutboundResponse {
        do {
            return try await exchange(request)
        } catch  where request.isRepeatable && HTTPFailure(error) == .connectionLost && !Task.isCancelled {
            return try await exchange(request)
        }
    }

    private func exchange(_ request: OutboundRequest) async throws -> OutboundResponse {
        var clientRequest = HTTPClientRequest(url: request.url.text)
        clientRequest.method = HTTPMethod(rawValue: request.method)
        for header in request.headers { clientRequest.headers.add(name: header.name, value: header.value) }
        clientRequest.headers.replaceOrAdd(name: "Accept-Encoding", value: "identity")
        if !clientRequest.headers.contains(name: "User-Agent") {
            clientRequest.headers.add(name: "User-Agent", value: "Gatefold")
        }
        if let body = request.body { clientRequest.body = .bytes(body) }
        let response = try await client.execute(clientRequest, deadline: .distantFuture)
        let encodings = response.headers["Content-Encoding"].map { $0.lowercased() }
        guard encodings.allSatisfy({ ["", "identity"].contains($0) }) else { throw HTTPFailure.encoded }
        var body: [UInt8] = []
        for try await bytes in response.body {
            guard body.count + bytes.readableBytes <= settings.maxResponseSize else {
                throw HTTPFailure.tooLarge(limit: settings.maxResponseSize)
            }
            body.append(contentsOf: bytes.readableBytesView)
        }
        return OutboundResponse(
            status: Int(response.status.code),
            headers: response.headers.map { OutboundRequest.Header(name: $0.name, value: $0.value) }, body: body)
    }
}
