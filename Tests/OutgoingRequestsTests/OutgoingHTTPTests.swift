import Foundation
import Synchronization
import TestSupport
import Testing

@testable import OutgoingRequests

@Suite("Outgoing HTTP client")
struct OutgoingHTTPTests {
    /// A script that returns the next response for each request and repeats the last one.
    private final class Script: Sendable {
        private let responses: [String]
        private let count = Mutex(0)

        init(_ responses: [String]) { self.responses = responses }

        var requested: Int { count.withLock { $0 } }

        func next() -> String {
            count.withLock { count in
                defer { count += 1 }
                return responses[min(count, responses.count - 1)]
            }
        }
    }

    private static func response(_ status: String = "200 OK", _ headers: String..., body: String = "ok") -> String {
        let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)", "Connection: close"] + headers
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
    }

    private func send(
        _ responses: [String], _ request: OutboundRequest? = nil,
        change: (inout OutgoingHTTPSettings) -> Void = { _ in }
    ) async throws -> (Result<OutboundResponse, any Error>, requested: Int) {
        let script = Script(responses)
        var settings = OutgoingHTTPSettings()
        // Sufficient for a busy machine.
        settings.timeout = 120
        settings.connectTimeout = 60
        change(&settings)
        let http = OutgoingHTTP(settings)
        let result = try await withScriptedHTTPServer(responding: { script.next() }) {
            port -> Result<OutboundResponse, any Error> in
            guard let url = ServiceURL("http://127.0.0.1:\(port)/a") else { throw HTTPFailure.malformed }
            var request = request ?? OutboundRequest(url: url)
            request.url = url
            do {
                return .success(try await http.send(request))
            } catch {
                return .failure(error)
            }
        }
        return (result, script.requested)
    }

    @Test("Returns a response of any status")
    func statuses() async throws {
        for (line, status) in [("200 OK", 200), ("404 No", 404), ("500 Error", 500), ("302 Found", 302)] {
            let (result, _) = try await send([Self.response(line, "X-A: 1", "x-a: 2")])
            let response = try result.get()
            #expect(response.status == status)
            #expect(response.values("X-A") == ["1", "2"])
            #expect(response.body == Array("ok".utf8))
        }
    }

    @Test(
        "An incomplete response is an outage, and its cause contains no content",
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", HTTPFailure.connectionLost),
            ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nok", .encoded),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + String(repeating: "a", count: 5000),
                .tooLarge(limit: 2048)
            ),
            ("nonsense marker\r\n\r\n", .malformed), ("", .connectionLost),
        ])
    func failures(text: String, failure: HTTPFailure) async throws {
        let (result, _) = try await send([text]) { $0.maxResponseSize = 2048 }
        #expect(throws: failure) { try result.get() }
        #expect(!failure.cause.contains("marker"))
    }

    @Test("Fails at once if the server does not listen")
    func rejected() async throws {
        let url = try #require(ServiceURL("http://127.0.0.1:\(try FreePort.find())/"))
        let http = OutgoingHTTP()
        await #expect(throws: HTTPFailure.unreachable) { try await http.send(OutboundRequest(url: url)) }
    }

    @Test("Retries a repeatable request once after a connection that closes without a response")
    func again() async throws {
        let url = try #require(ServiceURL("http://h/"))
        let request = OutboundRequest(url: url, isRepeatable: true)
        var (result, requested) = try await send(["", Self.response()], request)
        #expect(try result.get().status == 200)
        (result, requested) = try await send(["", "", Self.response()], request)
        #expect(throws: HTTPFailure.connectionLost) { try result.get() }
        #expect(requested == 2)
        (result, requested) = try await send(["", Self.response()], OutboundRequest(method: "POST", url: url))
        #expect(throws: HTTPFailure.connectionLost) { try result.get() }
        #expect(requested == 1)
    }

    @Test("Follows redirects only if configured, on the same host, and up to a limit")
    func redirects() async throws {
        let moved = Self.response("302 Found", "Location: /b")
        var (result, requested) = try await send([moved, Self.response()])
        #expect(try result.get().status == 302 && requested == 1)
        (result, requested) = try await send([moved, Self.response()]) { $0.redirects = .sameHost }
        #expect(try result.get().status == 200 && requested == 2)
        (result, requested) = try await send([moved]) { $0.redirects = .sameHost }
        #expect(try result.get().status == 302 && requested == 4)
        (result, requested) = try await send([Self.response("302 Found", "Location: http://127.0.0.2/")]) {
            $0.redirects = .sameHost
        }
        #expect(try result.get().status == 302 && requested == 1)
    }

    @Test("Ends a request and its connection on cancellation or timeout")
    func ending() async throws {
        try await withScriptedHTTPServer(responding: { Self.response() }) { port in
            try await withFaultProxy(to: port) { proxy in
                let url = try #require(ServiceURL("http://127.0.0.1:\(proxy.port)/"))
                try await proxy.set(.stall)
                var settings = OutgoingHTTPSettings()
                settings.timeout = 1
                let http = OutgoingHTTP(settings)
                await #expect(throws: HTTPFailure.timedOut) { try await http.send(OutboundRequest(url: url)) }
                let extended = OutgoingHTTP()
                let task = Task { try await extended.send(OutboundRequest(url: url)) }
                while try await proxy.connections() == 0 { await Task.yield() }
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
                while try await proxy.connections() > 0 { await Task.yield() }
            }
        }
    }
}
