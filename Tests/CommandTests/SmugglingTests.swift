import Foundation
import TestSupport
import Testing

@Suite("Request smuggling", .serialized, .servedSample())
struct SmugglingTests {
    /// The bytes that a server would read as a second request if it ended the first one too early.
    private static let hidden = "GET /content/daily/hidden HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    private static let post = "POST /sign_in HTTP/1.1\r\nHost: a\r\n"

    private func decisions() async throws -> Int {
        try await Sample.current.metric(
            "gatefold_gate_decisions_total{entry_point=\"file_server\",publication=\"daily\",result=\"missing_credentials\"}"
        )
    }

    @Test(
        "Pitfall 15: rejects a body with an ambiguous length, and nothing behind it gets a response",
        arguments: [
            "\(post)Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n\(hidden)",
            "\(post)Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n\(hidden)",
            "\(post)Content-Length: 0\r\nContent-Length: 70\r\n\r\n\(hidden)",
            "\(post)Content-Length: 70\r\nContent-Length: 0\r\n\r\n\(hidden)",
            "\(post)Content-Length: 0, 70\r\n\r\n\(hidden)",
            "\(post)Content-Length: +0\r\n\r\n\(hidden)", "\(post)Content-Length: 0x0\r\n\r\n\(hidden)",
            "\(post)Content-Length : 0\r\n\r\n\(hidden)",
            "\(post)Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n\(hidden)",
            "\(post)Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n\(hidden)",
            "\(post)Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n\(hidden)",
            "\(post)Transfer-Encoding: \u{b}chunked\r\n\r\n0\r\n\r\n\(hidden)",
            "\(post)Transfer-Encoding: identity\r\nTransfer-Encoding: chunked, x\r\n\r\n0\r\n\r\n\(hidden)",
            "\(post)X: a\r\n Content-Length: 70\r\nContent-Length : 0\r\n\r\n\(hidden)",
            "\(post)Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n\(hidden)",
            "\(post)Transfer-Encoding: chunked\r\n\r\n-0\r\n\r\n\(hidden)",
            "\(post)Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n\(hidden)",
            "GET /sign_in HTTP/1.1\r\nHost: a\r\nX: a\u{0}\r\n\r\n\(hidden)",
        ])
    func unclear(request: String) async throws {
        let before = try await decisions()
        let statuses = try await Sample.current.http.statuses(Array(request.utf8))
        #expect(statuses.count <= 1, "\(request): \(statuses)")
        #expect(statuses.allSatisfy { (400..<600).contains($0) }, "\(request): \(statuses)")
        #expect(try await decisions() == before)
    }

    @Test(
        "Pitfall 15: a tolerated request is exactly one, and the next one follows it",
        arguments: [
            "\(post)Transfer-Encoding: chunked\r\n\r\n3;ext=\"1\r\n\"\r\na=b\r\n0\r\n\r\n",
            "\(post)Transfer-Encoding: chunked\r\n\r\n3;name=value\r\na=b\r\n0\r\n\r\n",
            "\(post)Transfer-Encoding: chunked\r\n\r\n3\r\na=b\r\n0\r\nTrailer: x\r\n\r\n",
            "\(post)X: a\r\n\tb\r\nContent-Length: 3\r\n\r\na=b",
            "GET /sign_in HTTP/1.1\nHost: a\n\n", "\(post)Content-Length: 3\n\na=b",
        ])
    func tolerated(request: String) async throws {
        let before = try await decisions()
        let statuses = try await Sample.current.http.statuses(Array((request + Self.hidden).utf8))
        let decisionCount = try await decisions() - before
        // Either rejected as a whole, or one response for each of the two requests and one decision for the second.
        #expect(
            (statuses.count == 1 && statuses[0] >= 400 && decisionCount == 0)
                || (statuses.count == 2 && decisionCount == 1),
            "\(request): \(statuses), \(decisionCount) decisions")
    }

    @Test("Pitfall 15: a thousand pipelined requests get a thousand responses in order")
    func pipelined() async throws {
        let one = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n"
        let last = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        let statuses = try await Sample.current.http.statuses(
            Array((String(repeating: one, count: 500) + last).utf8))
        #expect(statuses == (0..<500).flatMap { _ in [200, 404] } + [200])
    }

    @Test("Pitfall 15: rejects ten thousand small headers")
    func headerFlood() async throws {
        let http = try Sample.current.http
        let flood = (0..<10_000).map { "a\($0): b\r\n" }.joined()
        let statuses = try await http.statuses(Array("GET /healthz HTTP/1.1\r\nHost: a\r\n\(flood)\r\n".utf8))
        #expect(statuses.count <= 1)
        #expect(statuses.allSatisfy { (400..<500).contains($0) })
        #expect(try await http.send("GET", "/healthz").status == 200)
    }

    @Test("Pitfall 15: two hundred connections with half a request do not block sign-ins")
    func stalled() async throws {
        let sample = try Sample.current
        let (halves, sent) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<200 {
                group.addTask {
                    try await sample.http.withConnection { connection in
                        try await connection.send(
                            index.isMultiple(of: 2)
                                ? "\(Self.post)Content-Length: 100\r\n\r\nemail=" : "GET /healthz HTTP/1.1\r\nHost:")
                        sent.yield()
                        _ = try? await connection.read()
                    }
                }
            }
            var count = 0
            for await _ in halves {
                count += 1
                if count == 200 { break }
            }
            for _ in 0..<10 {
                let token = try await sample.signIn(sample.newReader())
                #expect(try await sample.state(of: token) == "active")
            }
            group.cancelAll()
        }
    }

    @Test("Pitfall 15: the manifest requires NIO releases without known vulnerabilities")
    func versions() throws {
        let manifest = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Package.swift"),
            encoding: .utf8)
        for (package, minimum) in [("swift-nio", [2, 101, 2]), ("swift-nio-http2", [1, 46, 0])] {
            let pattern = try Regex(
                "apple/\(package)\", from: \"([0-9.]+)\"", as: (Substring, Substring).self)
            let version = try #require(manifest.firstMatch(of: pattern)).1.split(separator: ".").compactMap { Int($0) }
            #expect(!version.lexicographicallyPrecedes(minimum), "\(package) \(version)")
        }
    }
}
