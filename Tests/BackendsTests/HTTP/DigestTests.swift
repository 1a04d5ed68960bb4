import Testing

@testable import Backends

@Suite("Digest authentication")
struct DigestTests {
    private static let headers = [
        #"""
        Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=MD5, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
        """#,
        #"""
        Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
        """#,
    ]

    @Test(
        "Digest responses match RFC 7616 section 3.9.1",
        arguments: [
            (0, "8ca523f5e9506fed4657c9700eebdbec"),
            (1, "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
        ])
    func vectors(header: Int, digest: String) throws {
        let challenge = try #require(DigestChallenge([Self.headers[header]]))
        let response = challenge.response(
            user: "Mufasa", password: "Circle of Life", method: "GET", target: "/dir/index.html", count: 1,
            clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
        #expect(response.contains("response=\"\(digest)\""))
        #expect(
            response.contains("nc=00000001") && response.contains("qop=auth,")
                && response.contains("uri=\"/dir/index.html\"")
        )
    }

    @Test("The strongest supported challenge is chosen")
    func choice() {
        #expect(DigestChallenge(Self.headers)?.algorithm == .sha256)
        #expect(DigestChallenge(["Basic realm=\"a, Digest\", " + Self.headers[0]])?.algorithm == .md5)
        #expect(DigestChallenge(["Basic realm=x"]) == nil)
        #expect(DigestChallenge([]) == nil)
        #expect(DigestChallenge([#"Digest realm="r", nonce="n", qop="auth-int""#]) == nil)
        #expect(DigestChallenge([#"Digest realm="r", nonce="n", qop="auth", algorithm=MD5-sess"#]) == nil)
        #expect(DigestChallenge([#"Digest nonce="n", qop="auth""#]) == nil)
    }

    @Test("Quotes and backslashes in names are escaped")
    func quoting() throws {
        let challenge = try #require(DigestChallenge([#"Digest realm="a\"b\\c", nonce="n", qop="auth""#]))
        #expect(challenge.realm == #"a"b\c"#)
        let response = challenge.response(
            user: #"x"y\z"#, password: "p", method: "GET", target: "/", count: 255, clientNonce: "c")
        #expect(response.contains(#"username="x\"y\\z""#) && response.contains(#"realm="a\"b\\c""#))
        #expect(response.contains("nc=000000ff"))
    }
}
