import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import TestSupport
import Testing

/// The client that these tests look at connections with can see what it looks for.
@Suite("A raw connection")
struct RawAnswersTests {
    private func withAnswers(
        _ body: @Sendable @escaping (RawHTTP) async throws -> Void
    ) async throws {
        let router = Router()
        // Wrong on purpose: the body goes out whatever the method.
        for method in [HTTPRequest.Method.head, .get] {
            router.on("wrong", method: method) { _, _ in
                Response(status: .ok, body: .init(byteBuffer: .init(string: "stray")))
            }
        }
        try await Application(router: router, server: .kept).test(.live) {
            try await body(RawHTTP(port: $0.port ?? 0))
        }
    }

    @Test("sees the body of an answer to HEAD, at the end of the connection and before the next answer")
    func stray() async throws {
        try await withAnswers { http async throws in
            await #expect(throws: RawHTTP.StrayBytes.self) { try await http.send("HEAD", "/wrong") }
            #expect(try await http.send("GET", "/wrong").text == "stray")
            await #expect(throws: RawHTTP.StrayBytes.self) {
                try await http.withConnection { connection in
                    let (head, get) = (
                        "HEAD /wrong HTTP/1.1\r\nHost: a\r\n\r\n", "GET /wrong HTTP/1.1\r\nHost: a\r\n\r\n"
                    )
                    try await connection.send(head + get)
                    _ = try await connection.readAnswer(isHead: true)
                    return try await connection.readAnswer().status
                }
            }
        }
    }

    @Test("reads the answers of a connection one after another")
    func pipelined() async throws {
        try await withAnswers { http async throws in
            let texts = try await http.withConnection { connection in
                let get = "GET /wrong HTTP/1.1\r\nHost: a\r\n\r\n"
                try await connection.send(get + get)
                return [try await connection.readAnswer().text, try await connection.readAnswer().text]
            }
            #expect(texts == ["stray", "stray"])
        }
    }
}
