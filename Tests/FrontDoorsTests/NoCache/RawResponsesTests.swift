import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import TestSupport
import Testing

/// Checks that the test client detects the faults that other tests rely on it to detect.
@Suite("Raw test connection")
struct RawResponsesTests {
    private func withResponses(
        _ body: @Sendable @escaping (RawHTTP) async throws -> Void
    ) async throws {
        let router = Router()
        // Wrong on purpose: sends the body for any method.
        for method in [HTTPRequest.Method.head, .get] {
            router.on("wrong", method: method) { _, _ in
                Response(status: .ok, body: .init(byteBuffer: .init(string: "stray")))
            }
        }
        try await Application(router: router, server: .channelRetaining).test(.live) {
            try await body(RawHTTP(port: $0.port ?? 0))
        }
    }

    @Test("detects a body after HEAD, at the end of the connection and before the next response")
    func stray() async throws {
        try await withResponses { http async throws in
            await #expect(throws: RawHTTP.StrayBytes.self) { try await http.send("HEAD", "/wrong") }
            #expect(try await http.send("GET", "/wrong").text == "stray")
            await #expect(throws: RawHTTP.StrayBytes.self) {
                try await http.withConnection { connection in
                    let (head, get) = (
                        "HEAD /wrong HTTP/1.1\r\nHost: a\r\n\r\n", "GET /wrong HTTP/1.1\r\nHost: a\r\n\r\n"
                    )
                    try await connection.send(head + get)
                    _ = try await connection.readResponse(isHead: true)
                    return try await connection.readResponse().status
                }
            }
        }
    }

    @Test("reads pipelined responses in order")
    func pipelined() async throws {
        try await withResponses { http async throws in
            let texts = try await http.withConnection { connection in
                let get = "GET /wrong HTTP/1.1\r\nHost: a\r\n\r\n"
                try await connection.send(get + get)
                return [try await connection.readResponse().text, try await connection.readResponse().text]
            }
            #expect(texts == ["stray", "stray"])
        }
    }
}
