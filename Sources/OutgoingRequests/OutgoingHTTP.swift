import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// Asks one other system over HTTP/1.1, on connections that it keeps.
///
/// HTTP/2 is not offered: there a system that stands still would hold every question on its one connection for as long as
/// TCP takes to notice, while here each question that ends early takes its own connection with it. No proxy is used, and
/// no answer may be compressed, so that its size is what was sent.
///
/// ```swift
/// let http = OutgoingHTTP(try OutgoingHTTPSettings(section))
/// let answer = try await http.send(HTTPQuestion(method: "POST", url: url, headers: headers, body: bytes))
/// ```
package final class OutgoingHTTP: Sendable {
    private let client: HTTPClient
    private let settings: OutgoingHTTPSettings
    private static let mostRedirects = 3

    package init(_ settings: OutgoingHTTPSettings = OutgoingHTTPSettings()) {
        self.settings = settings
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: settings.tls, redirectConfiguration: .disallow,
            timeout: .init(connect: .milliseconds(Int64(settings.connectTimeout * 1000))))
        configuration.httpVersion = .http1Only
        configuration.proxy = nil
        configuration.decompression = .disabled
        // How many may ask at once is decided by whoever asks; here nobody waits for a connection.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1024
        // Shorter than servers commonly keep one, so that hardly a question meets a connection that is being closed.
        configuration.connectionPool.idleTimeout = .seconds(4)
        // A connection that is refused is an answer: waiting for a better one is not ours to decide.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
    }

    deinit {
        // Returns at once; the client keeps itself until its connections are closed.
        client.shutdown { _ in }
    }

    /// Sends a request and reads the whole answer, whatever its status.
    ///
    /// - Throws: ``HTTPFailure``, or `CancellationError` when the asking task was cancelled.
    package func send(_ question: HTTPQuestion) async throws -> HTTPAnswer {
        do {
            return try await withTimeout { [self] in try await follow(question) }
        } catch {
            if Task.isCancelled { throw CancellationError() }
            throw HTTPFailure(error)
        }
    }

    /// AsyncHTTPClient's own deadline ends with the head of the answer.
    private func withTimeout(_ body: @escaping @Sendable () async throws -> HTTPAnswer) async throws -> HTTPAnswer {
        try await withThrowingTaskGroup(of: HTTPAnswer.self) { group in
            group.addTask(operation: body)
            group.addTask { [timeout = settings.timeout] in
                try await Task.sleep(for: .seconds(timeout))
                throw HTTPFailure.timedOut
            }
            defer { group.cancelAll() }
            guard let answer = try await group.next() else { throw HTTPFailure.timedOut }
            return answer
        }
    }

    private func follow(_ question: HTTPQuestion) async throws -> HTTPAnswer {
        var question = question
        var left = settings.redirects == .never ? 0 : Self.mostRedirects
        while true {
            let answer = try await exchangeAgain(question)
            guard left > 0, [301, 302, 303, 307, 308].contains(answer.status),
                let location = answer.values("location").first, let url = question.url.redirected(to: location)
            else { return answer }
            left -= 1
            question.url = url
            // RFC 9110 sections 15.4.2 to 15.4.4: a POST becomes a GET, but for 307 and 308.
            if answer.status == 303 || ([301, 302].contains(answer.status) && question.method == "POST") {
                question.method = question.method == "HEAD" ? "HEAD" : "GET"
                question.body = nil
                question.headers.removeAll { $0.name.lowercased().hasPrefix("content-") }
            }
        }
    }

    private func exchangeAgain(_ question: HTTPQuestion) async throws -> HTTPAnswer {
        do {
            return try await exchange(question)
        } catch  where question.isRepeatable && HTTPFailure(error) == .connectionLost && !Task.isCancelled {
            return try await exchange(question)
        }
    }

    private func exchange(_ question: HTTPQuestion) async throws -> HTTPAnswer {
        var request = HTTPClientRequest(url: question.url.text)
        request.method = HTTPMethod(rawValue: question.method)
        for header in question.headers { request.headers.add(name: header.name, value: header.value) }
        request.headers.replaceOrAdd(name: "Accept-Encoding", value: "identity")
        if !request.headers.contains(name: "User-Agent") {
            request.headers.add(name: "User-Agent", value: "Gatefold")
        }
        if let body = question.body { request.body = .bytes(body) }
        let response = try await client.execute(request, deadline: .distantFuture)
        let encodings = response.headers["Content-Encoding"].map { $0.lowercased() }
        guard encodings.allSatisfy({ ["", "identity"].contains($0) }) else { throw HTTPFailure.encoded }
        var body: [UInt8] = []
        for try await bytes in response.body {
            guard body.count + bytes.readableBytes <= settings.largestAnswer else {
                throw HTTPFailure.tooLarge(limit: settings.largestAnswer)
            }
            body.append(contentsOf: bytes.readableBytesView)
        }
        return HTTPAnswer(
            status: Int(response.status.code),
            headers: response.headers.map { HTTPQuestion.Header(name: $0.name, value: $0.value) }, body: body)
    }
}
