import TestSupport
import Testing

@testable import Conformance

@Suite("Address")
struct AddressTests {
    @Test(
        "is parsed into host, port, target and authority",
        arguments: [
            ("http://example.com", "example.com", 80, "/", "example.com"),
            ("HTTPS://example.com:8443/a%2Fb/?x=1?2", "example.com", 8443, "/a%2Fb/?x=1?2", "example.com:8443"),
            ("https://[::1]/", "::1", 443, "/", "[::1]"), ("http://[::1]:81?q", "::1", 81, "/?q", "[::1]:81"),
        ])
    func good(text: String, host: String, port: Int, target: String, authority: String) throws {
        let address = try #require(Address(text))
        #expect(address.host == host && address.port == port)
        #expect(address.target == target && address.authority == authority)
    }

    @Test(
        "is rejected in other formats",
        arguments: [
            "", "example.com", "ftp://example.com", "http://", "http://:80/", "http://a:0/", "http://a:99999/",
            "http://a:b/", "http://u:p@a/", "http://a/#b", "http://a/ b", "http://a/\u{E4}", "http://[::1", "http://a:",
        ])
    func bad(text: String) {
        #expect(Address(text) == nil)
    }

    @Test("counts as loopback by its IP address, not by a similar host name")
    func loopback() throws {
        for (text, isLoopback) in [
            ("http://127.0.0.1/", true), ("http://127.8.9.1:81/", true), ("http://[::1]/", true),
            ("http://LOCALHOST/", true), ("http://127.example.com/", false), ("http://127.0.0.1.example.com/", false),
            ("http://127.0.0.256/", false), ("http://10.0.0.127/", false), ("http://a/", false),
        ] {
            #expect(try #require(Address(text)).isLoopback == isLoopback, "\(text)")
        }
    }

    @Test("the address of a call is below the root, unless the call has its own")
    func calls() throws {
        let root = try #require(Address("http://a/x"))
        let own = try #require(Address("http://b/sign_in.php?issue_start=1"))
        let endpoint = Endpoint(root: root, own: [.signIn: own])
        #expect(endpoint.address(of: .renewToken).path == "/x/renew_token")
        #expect(endpoint.address(of: .renewToken, .queryWithSlash).path == "/x/renew_token/")
        #expect(endpoint.address(of: .signIn, .queryWithSlash) == own)
        let probe = Probe(.ordinary, .signIn, [Field("a b", "c&d")], at: endpoint)
        #expect(String(decoding: probe.target, as: UTF8.self) == "/sign_in.php?issue_start=1&a%20b=c%26d")
        #expect(probe.summary == "GET /sign_in.php?issue_start=…&a%20b=…")
    }

    @Test("is parsed or rejected for any text")
    func anything() {
        var random = SeededRandom(seed: 9)
        for _ in 0..<10_000 {
            let tail = random.hostileBytes(upTo: 20, specialCharacters: "http://[:]@/?#.0189a")
            _ = Address("http://" + String(decoding: tail, as: UTF8.self))
        }
    }
}
