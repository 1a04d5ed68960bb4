import Foundation
import TestSupport
import Testing

/// A request with one part that is much larger than normal.
struct OversizedRequest: Sendable, CustomTestStringConvertible {
    let title: String
    let bytes: @Sendable () -> String
    /// The expected statuses, or nil if the large part is skipped and the rest is a valid request.
    var rejection: Set<Int>? = [400, 413, 414, 431]

    var testDescription: String { title }

    init(_ title: String, _ bytes: @autoclosure @escaping @Sendable () -> String) {
        self.title = title
        self.bytes = bytes
    }

    private func tolerated() -> OversizedRequest {
        var tolerated = self
        tolerated.rejection = nil
        return tolerated
    }

    private static func get(_ target: String = "/healthz", _ headers: String = "") -> String {
        "GET \(target) HTTP/1.1\r\nHost: a\r\n\(headers)Connection: close\r\n\r\n"
    }

    private static func post(_ body: String, _ type: String = "application/x-www-form-urlencoded") -> String {
        "POST /sign_in HTTP/1.1\r\nHost: a\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n"
            + "Connection: close\r\n\r\n\(body)"
    }

    private static let chunked =
        "POST /sign_in HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"

    private static func long(_ length: Int) -> String { String(repeating: "a", count: length) }

    static let all = [
        OversizedRequest("a path of 100 KB", get("/healthz?\(long(100_000))")),
        OversizedRequest("a query of 100 KB", get("/sign_in?email=\(long(100_000))")),
        OversizedRequest("a query of 5,000 fields", get("/sign_in?" + (0..<5_000).map { "a\($0)=b&" }.joined())),
        OversizedRequest("a method of 100 KB", "\(long(100_000)) / HTTP/1.1\r\nHost: a\r\n\r\n"),
        OversizedRequest("one field of 100 KB", get("/healthz", "X: \(long(100_000))\r\n")),
        OversizedRequest("a field name of 100 KB", get("/healthz", "\(long(100_000)): x\r\n")),
        OversizedRequest("a line without a colon that never ends", get("/healthz", long(1_000_000))),
        OversizedRequest(
            "ten fields of 10 KB", get("/healthz", (0..<10).map { "X\($0): \(long(10_000))\r\n" }.joined())),
        OversizedRequest("200 fields", get("/healthz", (0..<200).map { "X\($0): y\r\n" }.joined())),
        OversizedRequest("300,000 tiny fields", get("/healthz", String(repeating: "a:b\r\n", count: 300_000))),
        OversizedRequest(
            "an Authorization of 60 KB", get("/content/daily/x", "Authorization: Basic \(long(60_000))\r\n")),
        OversizedRequest("a form of 100 KB", post("email=" + long(100_000))),
        OversizedRequest("a form of 10,000 fields", post((0..<10_000).map { "a\($0)=b" }.joined(separator: "&"))),
        OversizedRequest("JSON of 100 KB", post("{\"email\":\"\(long(100_000))\"}", "application/json")),
        OversizedRequest(
            "JSON that is 20,000 deep", post(String(repeating: "[", count: 20_000), "application/json")),
        OversizedRequest("a chunk of 1 MB", "\(chunked)100000\r\n\(long(1 << 20))\r\n0\r\n\r\n"),
        OversizedRequest(
            "30,000 chunks of a byte",
            chunked + String(repeating: "1\r\na\r\n", count: 30_000) + "0\r\n\r\n"),
        // No byte of it is stored, and a body may take half a minute.
        OversizedRequest("an extension of a chunk of 1 MB", "\(chunked)3;\(long(1 << 20))\r\na=b\r\n0\r\n\r\n")
            .tolerated(),
        OversizedRequest(
            "100,000 trailer fields",
            "\(chunked)0\r\n" + String(repeating: "a:b\r\n", count: 100_000) + "\r\n"),
        OversizedRequest(
            "a length of more digits than there are numbers",
            "POST /sign_in HTTP/1.1\r\nHost: a\r\nContent-Length: \(String(repeating: "9", count: 40))\r\n\r\n"),
    ]
}

/// A limit, with requests just below and just above it.
struct RequestLimit: Sendable, CustomTestStringConvertible {
    let title: String
    /// The maximum that is accepted.
    let maximum: Int
    let status: Int
    let bytes: @Sendable (Int) -> String

    var testDescription: String { title }

    private static func long(_ length: Int) -> String { String(repeating: "a", count: length) }

    private static func get(_ target: String, _ headers: String = "") -> String {
        "GET \(target) HTTP/1.1\r\nHost: a\r\n\(headers)Connection: close\r\n\r\n"
    }

    private static func post(_ body: String) -> String {
        "POST /sign_in HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
    }

    private static func fields(_ count: Int) -> String {
        (0..<count).map { "a\($0)=b" }.joined(separator: "&")
    }

    /// Returns fields of four thousand bytes each, with this number of bytes in total.
    private static func body(_ count: Int) -> String {
        let one = "abc=\(long(3_995))&"
        let whole = String(repeating: one, count: count / one.utf8.count)
        let rest = count - whole.utf8.count
        return whole + (rest < 2 ? String(repeating: "&", count: rest) : "x=\(long(rest - 2))")
    }

    static let all = [
        RequestLimit(title: "the value of a header field: 32 KB", maximum: 32 << 10, status: 400) {
            get("/healthz", "X: \(long($0))\r\n")
        },
        RequestLimit(title: "header fields: 100", maximum: 100, status: 400) { count in
            // `Host` and `Connection` are two of them.
            get("/healthz", (0..<count - 2).map { "X\($0): y\r\n" }.joined())
        },
        RequestLimit(title: "the fields of a query: 100", maximum: 100, status: 400) { get("/sign_in?\(fields($0))") },
        RequestLimit(title: "the fields of a form: 100", maximum: 100, status: 400) { post(fields($0)) },
        RequestLimit(title: "a field's name: 256 bytes", maximum: 256, status: 400) { post("\(long($0))=b") },
        RequestLimit(title: "a field's value: 64 KB", maximum: 64 << 10, status: 400) { post("email=\(long($0))") },
        RequestLimit(title: "a body: 256 KB", maximum: 256 << 10, status: 413) { post(body($0)) },
    ]
}

@Suite("Pitfall 15: oversized requests", .serialized, .servedSample())
struct OversizedRequestTests {
    @Test("An oversized request gets one 400, 413, 414 or 431, or a closed connection", arguments: OversizedRequest.all)
    func rejected(request: OversizedRequest) async throws {
        let sample = try Sample.current
        let bytes = Array(request.bytes().utf8)
        for pieces in [1, 50] {
            let responses = try await Torture.responses(to: bytes, at: sample.http, of: sample, in: pieces)
            #expect(responses.count <= 1)
            if let rejection = request.rejection {
                // An empty list is a closed connection.
                #expect(responses.allSatisfy { rejection.contains($0.status) }, "\(responses)")
            } else {
                #expect(responses.map(\.status) == [200], "\(responses)")
            }
        }
        try await Torture.expectServing(sample)
    }

    @Test(
        "Accepts a request at the limit and rejects one byte or field more", arguments: RequestLimit.all)
    func limits(limit: RequestLimit) async throws {
        let sample = try Sample.current
        for (size, status) in [(limit.maximum, 200), (limit.maximum + 1, limit.status)] {
            let statuses = try await sample.http.statuses(Array(limit.bytes(size).utf8))
            #expect(statuses == [status], "\(limit.title): \(size)")
        }
    }

    /// Separators count too, with a few bytes per field, so this test does not check the exact byte.
    @Test("Rejects header fields of more than 64 KB in total")
    func list() async throws {
        let sample = try Sample.current
        for (size, status) in [(64_000, 200), (66_000, 400)] {
            let fields = (0..<4).map { "X\($0): \(String(repeating: "a", count: size / 4))\r\n" }.joined()
            let request = "GET /healthz HTTP/1.1\r\nHost: a\r\n\(fields)Connection: close\r\n\r\n"
            #expect(try await sample.http.statuses(Array(request.utf8)) == [status], "\(size)")
        }
    }

    /// The target has the same limit as a field.
    @Test("Rejects a path and query of more than 32 KB in total")
    func target() async throws {
        let sample = try Sample.current
        for (size, status) in [(32_000, 200), (33_000, 400)] {
            let target = "/sign_in?email=\(String(repeating: "a", count: size))"
            #expect(try await sample.http.send("GET", target).status == status, "\(size)")
        }
    }

    @Test("Oversized requests leave no memory allocated")
    func memory() async throws {
        let (sample, server) = (try Sample.current, try Sample.server)
        func flood() async throws {
            for request in OversizedRequest.all {
                let bytes = Array(request.bytes().utf8)
                await withDiscardingTaskGroup { group in
                    for _ in 0..<5 { group.addTask { _ = try? await sample.http.statuses(bytes) } }
                }
            }
        }
        try await flood()
        let before = try Torture.memory(of: server)
        for _ in 0..<2 { try await flood() }
        let after = try Torture.memory(of: server)
        #expect(after - before < 64 << 20, "\(before >> 20) MB before, \(after >> 20) MB after")
        try await Torture.expectServing(sample)
    }
}
