import Foundation
import TestSupport
import Testing

@Suite("Pitfall 15: pipelined requests", .serialized, .servedSample())
struct PipelineTests {
    /// A request and a predicate for its response.
    private struct Step: Sendable {
        let bytes: String
        var isHead = false
        let isOwn: @Sendable (RawResponse) -> Bool
    }

    private static func responses(
        to pieces: [[UInt8]], _ heads: [Bool], _ http: RawHTTP
    ) async throws -> [RawResponse] {
        try await http.withConnection { connection in
            for piece in pieces { try await connection.send(piece) }
            return try await connection.readResponses { $0 < heads.count && heads[$0] }
        }
    }

    @Test("Responds in order to immediate and queried requests in any fragmentation")
    func order() async throws {
        let sample = try Sample.current
        let active = try await sample.signIn(Sample.ada.email, Sample.ada.password)
        let lapsed = try await sample.signIn("grace@example.com", "nanosecond")
        let pair = try await sample.pair(active, Sample.third)
        func get(_ target: String, _ fields: String = "", _ isOwn: @Sendable @escaping (RawResponse) -> Bool) -> Step {
            Step(bytes: "GET \(target) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n", isOwn: isOwn)
        }
        func verify(_ token: String, _ state: String) -> Step {
            get("/verify_subscription?token=\(token)") { $0.attribute("state") == state }
        }
        let form = "email=ada%40example.com&password=wrong"
        let length = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(form.utf8.count)\r\n"
        let steps: [Step] = [
            verify(active, "active"), verify(lapsed, "inactive"), verify("x", "unknown"),
            get("/edition_credentials?token=\(active)&product_id=\(Sample.second)") { $0.element("userid") != nil },
            get("/edition_credentials?token=\(lapsed)&product_id=\(Sample.third)") { $0.text.contains("<error") },
            get(
                "/auth-request/original-uri",
                "X-Original-URI: /content/daily/\(Sample.third).zip\r\nAuthorization: \(pair)\r\n"
            ) {
                (200..<300).contains($0.status)
            },
            get("/auth-request/original-uri", "X-Original-URI: /content/daily/\(Sample.third).zip\r\n") {
                $0.status == 403
            },
            get("/healthz") { $0.text == "ok\n" }, get("/nowhere") { $0.status == 404 },
            Step(bytes: "HEAD /healthz HTTP/1.1\r\nHost: a\r\n\r\n", isHead: true) {
                $0.status == 200 && $0.body.isEmpty
            },
            Step(bytes: "POST /sign_in HTTP/1.1\r\nHost: a\r\n\(length)\r\n\(form)") {
                $0.text.contains("notrecognised")
            },
            Step(
                bytes:
                    "POST /verify_subscription HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n6\r\ntoken=\r\n1\r\ny\r\n0\r\n\r\n"
            ) {
                $0.attribute("state") == "unknown"
            },
        ]
        for seed in 0..<25 {
            var random = SeededRandom(seed: UInt64(seed))
            var chosen = (0..<60).map { _ in steps[Int.random(in: 0..<steps.count, using: &random)] }
            chosen.append(
                Step(bytes: "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n") { $0.text == "ok\n" })
            var rest = Array(chosen.map(\.bytes).joined().utf8)[...]
            var pieces: [[UInt8]] = []
            while !rest.isEmpty {
                let size = [1, 40, 400, 4_000, 40_000][Int.random(in: 0..<5, using: &random)]
                pieces.append(Array(rest.prefix(Int.random(in: 1...size, using: &random))))
                rest = rest.dropFirst(pieces[pieces.count - 1].count)
            }
            let heads = chosen.map(\.isHead)
            let responses = try await Self.responses(to: pieces, heads, sample.http)
            #expect(responses.count == chosen.count, "seed \(seed)")
            for (number, (step, response)) in zip(chosen, responses).enumerated() {
                #expect(
                    step.isOwn(response),
                    "seed \(seed), number \(number): \(step.bytes.prefix(60)) \(response.status) \(response.text)")
                expectNoCache(response, "seed \(seed), number \(number)")
            }
        }
    }

    @Test("Unread responses limit the work on one connection, and other clients are served")
    func unread() async throws {
        let (sample, server) = (try Sample.current, try Sample.server)
        let token = try await sample.signIn(Sample.ada.email, Sample.ada.password)
        let many = Array(
            String(repeating: "GET /verify_subscription?token=\(token) HTTP/1.1\r\nHost: a\r\n\r\n", count: 2_000).utf8)
        try await Torture.expectServing(sample)
        let before = try Torture.memory(of: server)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await sample.http.withConnection { connection in
                        // The server stops reading when the responses are not read.
                        for _ in 0..<20 { try await connection.send(many) }
                    }
                }
            }
            for _ in 0..<5 { try await Torture.expectServing(sample) }
            let grown = try Torture.memory(of: server) - before
            #expect(grown < 128 << 20, "\(grown >> 20) MB more")
            group.cancelAll()
            while let result = await group.nextResult() { _ = result }
        }
        try await Torture.expectServing(sample)
    }
}
