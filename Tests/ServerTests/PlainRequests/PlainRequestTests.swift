import HTTPTypes
import TestSupport
import Testing

@testable import Server

@Suite("Plain request")
struct PlainRequestTests {
    private static let usual =
        "GET /verify_subscription?token=abc HTTP/1.1\r\nHost: editions.example.com\r\nUser-Agent: Reader/5 (iOS)\r\n"
        + "Accept-Language: de-DE,de;q=0.9\r\nConnection: keep-alive\r\n\r\n"

    @Test("Reads a GET request of an app, up to the next request")
    func usual() throws {
        let request = try #require(Self.read(Self.usual + "GET /next"))
        #expect(request.head.method == .get && request.head.path == "/verify_subscription?token=abc")
        #expect(request.head.authority == "editions.example.com")
        #expect(request.head.headerFields[.acceptLanguage] == "de-DE,de;q=0.9")
        #expect(request.head.headerFields[.userAgent] == "Reader/5 (iOS)")
        #expect(request.body.isEmpty && request.length == Self.usual.utf8.count)
    }

    @Test("Reads a POST request with its body")
    func form() throws {
        let head = "POST /sign_in HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n"
        let request = try #require(Self.read(head + "a=bGET /"))
        #expect(request.head.method == .post && request.head.path == "/sign_in")
        #expect(request.body == head.utf8.count..<(head.utf8.count + 3))
        #expect(Self.read(head + "a=") == nil)
    }

    @Test(
        "Rejects any other request",
        arguments: [
            "POST / HTTP/1.1\r\nHost: a\r\n\r\n", "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.0\r\nHost: a\r\n\r\n",
            "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\nHost: a\n\n",
            "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, upgrade\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n 2\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX : 1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n: 1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX: \u{e9}\r\n\r\n",
            "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n", "GET /\u{e9} HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\na",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \r\n\r\na",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\na",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX: \u{0}\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX:   1\r\n\r\n",
            "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\n", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n", "", "GET",
        ])
    func unusual(text: String) { #expect(Self.read(text) == nil) }

    @Test("Rejects a request over the maximum length")
    func long() {
        let filler = String(repeating: "a", count: PlainRequest.maxHeadLength)
        #expect(Self.read("GET / HTTP/1.1\r\nHost: a\r\nX: \(filler)\r\n\r\n") == nil)
    }

    /// Tests the property that prevents request smuggling: no other parser reads these bytes differently.
    @Test("Agrees with the regular parser on the content and the end of every accepted request")
    func agrees() async throws {
        var random = SeededRandom(seed: 6)
        var (accepted, posts, forwarded) = (0, 0, 0)
        let seeds = [
            Self.usual,
            "GET /auth-request/original-uri HTTP/1.1\r\nHost: a\r\nX-Original-URI: /content/a.zip\r\nAuthorization: Basic YTpi\r\n\r\n",
            "GET /auth-request/original-uri HTTP/1.1\r\nHost: a\r\nX-Original-Method: GET\r\nX-Original-URI: /a\r\n\r\n",
            "GET /edition_credentials?token=a HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 192.0.2.1, 2001:db8::1\r\n\r\n",
            "GET /a HTTP/1.1\r\nX-Forwarded-For:192.0.2.1\r\nHost: a\r\nx-original-method: POST\r\n\r\n",
            "POST /sign_in HTTP/1.1\r\nHost: a\r\ncontent-length: 7\r\nX: 1\r\nx: 2\r\n\r\na=b&c=d",
            "GET /a HTTP/1.1\r\nhost:a\r\n\r\n", "GET /?a=%zz HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
        ].map { Array($0.utf8) }
        let specialCharacters = Array("\r\n: \t%?#/;,aHGTP1.\u{0}".utf8)
        for turn in 0..<8_000 {
            // Other tests of this process need time, too.
            if turn.isMultiple(of: 50) { await Task.yield() }
            var bytes = seeds[turn % seeds.count]
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = specialCharacters[Int.random(in: 0..<specialCharacters.count, using: &random)]
                case 1:
                    bytes.insert(
                        specialCharacters[Int.random(in: 0..<specialCharacters.count, using: &random)], at: place)
                default: bytes.remove(at: place)
                }
            }
            guard let request = Self.read(bytes) else { continue }
            accepted += 1
            let expected = try #require(
                NIORequest.read(Array(bytes.prefix(request.length))), "\(String(decoding: bytes, as: UTF8.self))")
            #expect(expected.head == request.head)
            #expect(expected.body == Array(bytes[request.body]))
            #expect(expected.isKeepAlive)
            if request.head.method == .post { posts += 1 }
            if request.head.headerFields.contains(.forwardedFor) { forwarded += 1 }
        }
        #expect(accepted > 600 && posts > 100 && forwarded > 100, "\(accepted) \(posts) \(forwarded)")
    }

    private static func read(_ text: String) -> PlainRequest? { read(Array(text.utf8)) }

    private static func read(_ bytes: [UInt8]) -> PlainRequest? {
        bytes.withUnsafeBytes { PlainRequest($0) }
    }
}
