import Foundation
import TestSupport
import Testing

@Suite("Pitfall 15: unusual requests", .serialized, .servedSample())
struct UnusualRequestTests {
    private static let close = "Connection: close\r\n\r\n"

    private func responses(
        _ text: String, isFinished: Bool = false, isHead: @Sendable @escaping (Int) -> Bool = { _ in false },
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [RawResponse] {
        let sample = try Sample.current
        return try await Torture.responses(
            to: Array(text.utf8), at: sample.http, of: sample, isFinished: isFinished, isHead: isHead,
            sourceLocation: sourceLocation)
    }

    @Test("A target in absolute form gets at most one response and opens no protected path")
    func absoluteForm() async throws {
        for target in ["http://a/healthz", "http://evil.example/healthz", "HTTP://a:80/healthz", "http://"] {
            #expect(try await responses("GET \(target) HTTP/1.1\r\nHost: a\r\n\(Self.close)").count <= 1, "\(target)")
        }
        let content = try await responses(
            "GET http://a/content/daily/\(Sample.third).zip HTTP/1.1\r\nHost: a\r\n\(Self.close)")
        #expect(content.count <= 1 && content.allSatisfy { $0.status >= 400 })
    }

    @Test(
        "Rejects HTTP/0.9 and unknown versions",
        arguments: [
            "GET /healthz\r\n\r\n", "GET /healthz HTTP/3.7\r\nHost: a\r\n\r\n",
            "GET /healthz HTTP/1.1 \r\nHost: a\r\n\r\n",
            "GET  /healthz HTTP/1.1\r\nHost: a\r\n\(close)", "GET /healthz HTTQ/1.1\r\nHost: a\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET /a b HTTP/1.1\r\nHost: a\r\n\(close)",
        ])
    func versions(request: String) async throws {
        let responses = try await responses(request, isFinished: true)
        #expect(responses.count <= 1 && responses.allSatisfy { $0.status >= 400 || $0.text == "ok\n" }, "\(responses)")
    }

    @Test("Responds to HTTP/1.0 and keeps the connection on request")
    func oldVersion() async throws {
        #expect(try await responses("GET /healthz HTTP/1.0\r\n\r\n").map(\.status) == [200])
        let keepAlive = "GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
        let statuses = try await responses("\(keepAlive)\(keepAlive)GET /nowhere HTTP/1.0\r\n\r\n").map(\.status)
        #expect(statuses == [200, 200, 404])
    }

    @Test("A request with `Expect` gets one response")
    func expectation() async throws {
        let body = "email=ada%40example.com&password=analytical+engine"
        let head =
            "POST /sign_in HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            + "Content-Length: \(body.utf8.count)\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n"
        let response = try await responses(head + body)
        #expect(response.count == 1 && response[0].element("token") != nil)
        #expect(try await responses("GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: wonders\r\n\(Self.close)").count == 1)
    }

    @Test(
        "Responds to an upgrade request in HTTP/1.1",
        arguments: [
            "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n",
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
        ])
    func upgrade(fields: String) async throws {
        let statuses = try await responses(
            "GET /healthz HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\(Torture.hidden)"
        ).map(\.status)
        // Bytes after an upgrade request may belong to the other protocol and are dropped.
        #expect(statuses == [200])
    }

    @Test(
        "Responds to a last request in any spelling of close, and to nothing behind it",
        arguments: [
            ("HTTP/1.1", "Host: a\r\nConnection: close\r\n"), ("HTTP/1.1", "Host: a\r\nConnection: Close\r\n"),
            ("HTTP/1.1", "Host: a\r\nConnection: TE, close\r\n"),
            ("HTTP/1.1", "Host: a\r\nConnection: keep-alive\r\nConnection: CLOSE\r\n"),
            ("HTTP/1.0", "Host: a\r\n"),
        ])
    func last(version: String, fields: String) async throws {
        for behind in [Torture.hidden, "GET /verify_subscription HTTP/1.1\r\nHost: a\r\n\r\n", "rubbish\r\n\r\n"] {
            let statuses = try await responses("GET /healthz \(version)\r\n\(fields)\r\n\(behind)").map(\.status)
            #expect(statuses == [200], "\(behind)")
        }
    }

    @Test("Other methods get at most one response each, and HEAD has no body")
    func methods() async throws {
        for line in [
            "CONNECT a:443", "OPTIONS *", "TRACE /healthz", "get /healthz", "FOO /healthz", "CONNECT /healthz",
        ] {
            let responses = try await responses("\(line) HTTP/1.1\r\nHost: a\r\n\(Self.close)")
            #expect(responses.count <= 1, "\(line): \(responses.map(\.status))")
        }
        let head = "HEAD /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
        let get = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
        let responses = try await responses(
            "\(head)\(get)\(head)\(Torture.hidden)", isHead: { $0.isMultiple(of: 2) && $0 < 3 })
        #expect(responses.map(\.status) == [200, 200, 200, 403])
    }

    @Test(
        "A missing, repeated or invalid host gets at most one response",
        arguments: [
            "", "Host: a\r\nHost: b\r\n", "Host: a b\r\n", "Host: a/../b\r\n", "Host:\r\n", "Host: \u{1}\r\n",
        ])
    func hosts(field: String) async throws {
        #expect(try await responses("GET /healthz HTTP/1.1\r\n\(field)\(Self.close)").count <= 1)
    }

    @Test("Garbage is rejected once and closes the connection")
    func garbage() async throws {
        let sample = try Sample.current
        var random = SeededRandom(seed: 15)
        var samples = (0..<40).map { _ in
            (0..<Int.random(in: 1...5000, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        // A TLS client hello and its beginning.
        samples.append(
            [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xFC, 0x03, 0x03] + [UInt8](repeating: 7, count: 508))
        samples.append([0x16, 0x03, 0x01])
        samples += ["\r\n\r\n\r\n", "\n", "\r", " ", ":", "\u{0}", "GET", "GET /", "HTTP/1.1 200 OK\r\n\r\n"].map {
            Array($0.utf8)
        }
        for bytes in samples {
            let responses = try await Torture.responses(
                to: bytes, at: sample.http, of: sample, isFinished: true)
            #expect(
                responses.count <= 1 && responses.allSatisfy { (400..<500).contains($0.status) }, "\(bytes.prefix(20))")
        }
        try await Torture.expectServing(sample)
    }

    @Test("Requests before a half-close get responses, and a partial request does not")
    func halfClose() async throws {
        let get = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
        #expect(try await responses(get + get, isFinished: true).map(\.status) == [200, 200])
        let sign = "POST /sign_in HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n"
        for half in [
            "GET /heal", "GET /healthz HTTP/1.1\r\nHost:", "\(sign)emai", sign, "\(get)GET /healthz HTTP/1.1\r\n",
        ] {
            let responses = try await responses(half, isFinished: true)
            #expect(responses.allSatisfy { $0.status == 200 || (400..<500).contains($0.status) }, "\(half)")
            #expect(responses.count <= 2)
        }
        try await Torture.expectServing(try Sample.current)
    }
}
