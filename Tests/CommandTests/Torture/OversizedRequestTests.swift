import Foundation
import TestSupport
import Testing

/// A request of which one part is far larger than anybody needs.
struct OversizedRequest: Sendable, CustomTestStringConvertible {
    let title: String
    let bytes: @Sendable () -> String
    /// Nil where what is too large is passed over unread, and the rest is a good request.
    var refusal: Set<Int>? = [400, 413, 414, 431]

    var testDescription: String { title }

    init(_ title: String, _ bytes: @autoclosure @escaping @Sendable () -> String) {
        self.title = title
        self.bytes = bytes
    }

    private func tolerated() -> OversizedRequest {
        var tolerated = self
        tolerated.refusal = nil
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
        // No byte of it is kept, and a body may take half a minute.
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

/// A limit, and the pair of requests just below and just above it.
struct RequestLimit: Sendable, CustomTestStringConvertible {
    let title: String
    /// The most that is taken.
    let most: Int
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

    /// Fields of four thousand bytes each, and so many bytes in all.
    private static func body(_ count: Int) -> String {
        let one = "abc=\(long(3_995))&"
        let whole = String(repeating: one, count: count / one.utf8.count)
        let rest = count - whole.utf8.count
        return whole + (rest < 2 ? String(repeating: "&", count: rest) : "x=\(long(rest - 2))")
    }

    static let all = [
        RequestLimit(title: "the value of a header field: 32 KB", most: 32 << 10, status: 400) {
            get("/healthz", "X: \(long($0))\r\n")
        },
        RequestLimit(title: "header fields: 100", most: 100, status: 400) { count in
            // Host and Connection are two of them.
            get("/healthz", (0..<count - 2).map { "X\($0): y\r\n" }.joined())
        },
        RequestLimit(title: "the fields of a query: 100", most: 100, status: 400) { get("/sign_in?\(fields($0))") },
        RequestLimit(title: "the fields of a form: 100", most: 100, status: 400) { post(fields($0)) },
        RequestLimit(title: "a field's name: 256 bytes", most: 256, status: 400) { post("\(long($0))=b") },
        RequestLimit(title: "a field's value: 64 KB", most: 64 << 10, status: 400) { post("email=\(long($0))") },
        RequestLimit(title: "a body: 256 KB", most: 256 << 10, status: 413) { post(body($0)) },
    ]
}

@Suite("Pitfall 15: requests with too much of something", .serialized, .servedSample())
struct OversizedRequestTests {
    @Test("are refused with 400, 413, 414 or 431 or the end of the connection, once", arguments: OversizedRequest.all)
    func refused(request: OversizedRequest) async throws {
        let sample = try Sample.current
        let bytes = Array(request.bytes().utf8)
        for pieces in [1, 50] {
            let answers = try await Torture.answers(to: bytes, at: sample.http, of: sample, in: pieces)
            #expect(answers.count <= 1)
            if let refusal = request.refusal {
                // No answer is a closed connection.
                #expect(answers.allSatisfy { refusal.contains($0.status) }, "\(answers)")
            } else {
                #expect(answers.map(\.status) == [200], "\(answers)")
            }
        }
        try await Torture.expectServing(sample)
    }

    @Test(
        "are refused from the first byte beyond the limit, and taken to the last below it", arguments: RequestLimit.all)
    func limits(limit: RequestLimit) async throws {
        let sample = try Sample.current
        for (size, status) in [(limit.most, 200), (limit.most + 1, limit.status)] {
            let statuses = try await sample.http.statuses(Array(limit.bytes(size).utf8))
            #expect(statuses == [status], "\(limit.title): \(size)")
        }
    }

    /// What stands between names and values is counted as well, a few bytes a field, so that the last byte is not told here.
    @Test("are refused where their fields are more than 64 KB together, though none is too long")
    func list() async throws {
        let sample = try Sample.current
        for (size, status) in [(64_000, 200), (66_000, 400)] {
            let fields = (0..<4).map { "X\($0): \(String(repeating: "a", count: size / 4))\r\n" }.joined()
            let request = "GET /healthz HTTP/1.1\r\nHost: a\r\n\(fields)Connection: close\r\n\r\n"
            #expect(try await sample.http.statuses(Array(request.utf8)) == [status], "\(size)")
        }
    }

    /// The target is limited as a field is.
    @Test("are refused where their path and query are more than 32 KB together")
    func target() async throws {
        let sample = try Sample.current
        for (size, status) in [(32_000, 200), (33_000, 400)] {
            let target = "/sign_in?email=\(String(repeating: "a", count: size))"
            #expect(try await sample.http.send("GET", target).status == status, "\(size)")
        }
    }

    @Test("leave no memory behind")
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
