import TestSupport
import Testing

@Suite("No-cache headers on the wire", .serialized, .servedSample())
struct NoCacheOnTheWireTests {
    static let methods = ["GET", "HEAD", "POST", "OPTIONS", "PUT", "DELETE", "PATCH", "TRACE"]
    static let calls = [
        "sign_in", "renew_token", "renew", "verify_subscription", "edition_credentials", "sign_out",
    ]

    @Test("Pitfall 16: all calls, correct or not, by every method", arguments: methods)
    func calls(method: String) async throws {
        let sample = try Sample.current
        let fields = "email=ada%40example.com&password=analytical+engine&token=t&product_id=\(Sample.second)"
        let paths =
            Self.calls.flatMap { ["/\($0)", "/\($0)/", "/weekly/\($0)", "/nowhere/\($0)", "/\($0)?\(fields)"] }
            + ["/test/sign_in?username=error500&password=abc", "/test/verify_subscription?token=x"]
        for path in paths {
            let response = try await sample.http.send(method, path)
            expectNoCache(response, "\(method) \(path) \(response.status)")
            if !path.hasPrefix("/nowhere"), !["GET", "HEAD", "POST", "OPTIONS"].contains(method) {
                #expect(response.status == 405)
                #expect(response["Allow"] != nil)
            }
        }
    }

    @Test("Pitfall 16: unknown paths, health, metrics, denied content and auth requests", arguments: methods)
    func others(method: String) async throws {
        let sample = try Sample.current
        let paths = [
            "/", "/nowhere", "/sign_in/x.css", "/verify_subscription/x.css", "/daily", "/daily/", "//sign_in", "/%",
            "/a/b/c/d",
            "/healthz", "/readyz", "/metrics", "/content", "/content/", "/content/daily/", "/content/daily/feed.xml",
            "/content/daily/\(Sample.third).zip", "/content/daily/../weekly/", "/content/daily/%00", "/content/none/x",
            "/auth-request/original-uri", "/auth-request/forwarded-uri", "/auth-request/path/content/daily/x",
            "/auth-request/path/content/daily/\(Sample.free).zip", "/auth-request",
        ]
        for path in paths {
            let response = try await sample.http.send(method, path)
            expectNoCache(response, "\(method) \(path) \(response.status)")
            #expect(response.status < 500, "\(method) \(path)")
        }
        for path in ["/", "/healthz", "/readyz", "/metrics", "/sign_in"] {
            expectNoCache(try await sample.admin.send(method, path), "admin \(method) \(path)")
        }
    }

    @Test("Pitfall 16: a call with a file extension returns 404, against cache deception")
    func deception() async throws {
        let sample = try Sample.current
        for path in ["/verify_subscription/x.css", "/sign_in/a.js", "/daily/edition_credentials/y.jpg"] {
            #expect(try await sample.http.send("GET", path).status == 404)
        }
    }

    @Test("Pitfall 16: allowed and denied auth requests")
    func authRequests() async throws {
        let sample = try Sample.current
        let pair = try await sample.pair(try await sample.signIn(sample.newReader()), Sample.third)
        for (header, path) in [("X-Original-URI", "original-uri"), ("X-Forwarded-Uri", "forwarded-uri")] {
            let target = (header, "/content/daily/\(Sample.third).zip")
            let granted = try await sample.http.send("GET", "/auth-request/\(path)", [target, ("Authorization", pair)])
            #expect(granted.status == 200)
            #expect(granted["X-Gatefold-Edition"] == Sample.third)
            expectNoCache(granted, "\(path) granted")
            let rejected = try await sample.http.send("GET", "/auth-request/\(path)", [target])
            #expect(rejected.status == 403)
            expectNoCache(rejected, "\(path) denied")
        }
    }

    @Test("Pitfall 16: bodies that are too large, of another type or invalid")
    func bodies() async throws {
        let http = try Sample.current.http
        let form = ("Content-Type", "application/x-www-form-urlencoded")
        let json = ("Content-Type", "application/json")
        let bodies: [(status: Int, fields: [(String, String)], body: [UInt8])] = [
            (413, [form], [UInt8](repeating: 0x61, count: 300_000)), (400, [json], Array("{\"a\":".utf8)),
            (400, [json], Array("[1]".utf8)), (400, [json], [0xFF, 0xFE]),
            (415, [("Content-Type", "text/plain")], Array("a=b".utf8)),
            (415, [form, ("Content-Encoding", "gzip")], Array("a=b".utf8)),
            (400, [form], Array((0...100).map { "f\($0)=1" }.joined(separator: "&").utf8)),
            (400, [form], Array("a=".utf8) + [UInt8](repeating: 0x61, count: 66_000)),
        ]
        for call in Self.calls {
            for (status, fields, body) in bodies {
                let response = try await http.post("/\(call)", fields, body)
                #expect(response.status == status, "\(call)")
                expectNoCache(response, "\(call) \(status)")
            }
        }
        let chunks = String(repeating: "4000\r\n\(String(repeating: "a", count: 0x4000))\r\n", count: 20) + "0\r\n\r\n"
        let response = try await http.exchange(
            Array("POST /sign_in HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)".utf8))
        #expect(response.status == 413)
        expectNoCache(response, "chunked")
    }

    @Test(
        "Pitfall 16: unreadable requests",
        arguments: [
            "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "get / http/1.1\r\n\r\n", "G@T / HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost a\r\n\r\n", "GET / HTTP/1.1\r\nBad Name: a\r\n\r\n",
            "GET / HTTP/1.1\r\n: a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\u{0}b\r\n\r\n", "\u{16}\u{3}\u{1}\r\n\r\n",
            "GET / HTTP/1.1\r\nLong: \(String(repeating: "a", count: 80_000))\r\n\r\n",
            "GET /\(String(repeating: "a", count: 80_000)) HTTP/1.1\r\nHost: a\r\n\r\n",
            "POST /sign_in HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
            "POST /sign_in HTTP/1.1\r\nHost: a\r\nContent-Length: many\r\n\r\n",
            "POST /sign_in HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        ])
    func unreadable(request: String) async throws {
        let response = try await Sample.current.http.exchange(Array(request.utf8))
        #expect((400...505).contains(response.status), "\(request.prefix(60))")
        expectNoCache(response, "\(request.prefix(60))")
    }
}
