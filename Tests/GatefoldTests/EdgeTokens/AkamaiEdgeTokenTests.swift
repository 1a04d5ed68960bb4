import EdgeTokens
import Foundation
import Gatefold
import Primitives
import Testing

@Suite("Akamai edge token")
struct AkamaiEdgeTokenTests {
    static let key = "52a152a152a152a152a152a152a1aabb"
    static let grant = EdgeGrant(
        publication: PublicationID("demo")!, subscriber: Subscriber(backend: "db", key: "reader-1"),
        edition: EditionID("com.example.edition0001")!, issuedAt: Date(timeIntervalSince1970: 1_793_534_400),
        expiresAt: Date(timeIntervalSince1970: 1_793_538_000),
        client: ClientAddress("2001:db8::1"))

    /// Returns the token computed by the independent script in `Fixtures/edge`.
    private func reference(_ settings: [String: Any]) throws -> String {
        var settings = settings
        settings["key"] = Self.key
        return try ChildProcess.run(
            ["python3", fixtures.appending(path: "edge/akamai.py").path],
            input: JSONSerialization.data(withJSONObject: settings))
    }

    private func cookie(_ scope: AkamaiEdgeToken.Scope, _ options: AkamaiEdgeToken.Options) throws -> [EdgeHeader] {
        try AkamaiEdgeToken(key: Secret(Self.key), scope: scope, options: options).headers(for: Self.grant)
    }

    @Test(
        "An ACL token equals the one of the independent script for every algorithm",
        arguments: AkamaiEdgeToken.Algorithm.allCases)
    func acl(_ algorithm: AkamaiEdgeToken.Algorithm) throws {
        var options = AkamaiEdgeToken.Options()
        options.algorithm = algorithm
        let expected = try reference([
            "exp": 1_793_538_000, "acl": ["/demo/com.example.edition0001/*", "/covers/*"],
            "algorithm": algorithm.rawValue,
        ])
        let headers = try cookie(.acl(["/{publication}/{edition}/*", "/covers/*"]), options)
        #expect(headers == [EdgeHeader(name: "Cookie", value: "__token__=\(expected)")])
    }

    @Test("Every field with and without early escaping equals the script's token", arguments: [false, true])
    func everything(early: Bool) throws {
        var options = AkamaiEdgeToken.Options()
        options.name = "hdnts"
        options.salt = "a salt & more"
        options.id = "session/{edition}"
        options.data = "a=b&c=(d)*"
        options.bindsAddress = true
        options.includesStartTime = true
        options.escapesEarly = early
        options.window = 120
        options.tokenPlacement = .header
        let expected = try reference([
            "ip": "2001:db8::1", "st": 1_793_534_400, "exp": 1_793_534_520, "id": "session/com.example.edition0001",
            "data": "a=b&c=(d)*", "url": "/e/com.example.edition0001/index.html?x=1", "salt": "a salt & more",
            "early": early, "algorithm": "sha256",
        ])
        let headers = try cookie(.url("/e/{edition}/index.html?x=1"), options)
        #expect(headers == [EdgeHeader(name: "hdnts", value: expected)])
        #expect(!expected.contains("url=") && !expected.contains("salt="))
    }

    @Test("A token never outlives the edition credentials")
    func window() throws {
        var options = AkamaiEdgeToken.Options()
        options.window = 86_400
        let value = try #require(try cookie(.acl(["/*"]), options).first?.value)
        #expect(value.contains("exp=1793538000~"))
    }

    @Test("Issues no address-bound token if the client address is unknown")
    func noAddress() throws {
        var options = AkamaiEdgeToken.Options()
        options.bindsAddress = true
        let grant = EdgeGrant(
            publication: Self.grant.publication, subscriber: Self.grant.subscriber, edition: Self.grant.edition,
            issuedAt: Self.grant.issuedAt, expiresAt: Self.grant.expiresAt, client: nil)
        let token = try AkamaiEdgeToken(key: Secret(Self.key), scope: .acl(["/*"]), options: options)
        #expect(token.headers(for: grant) == [])
    }

    @Test(
        "Rejects a key that is short or not hexadecimal",
        arguments: ["", "xyz", "52a1", "52a152a152a152a152a152a152a1aab"])
    func badKey(_ key: String) {
        #expect(throws: EdgeTokenError.hexKey) { try AkamaiEdgeToken(key: Secret(key), scope: .acl(["/*"])) }
    }

    @Test(
        "Rejects characters that would end a header, a cookie or a field",
        arguments: [
            "/a\r\nX: y", "/a;b", "/a b", "/a~hmac=0", "/a!b", "/a\"b", "/a\u{7F}", "/é", "/{user}", "/{edition", "",
        ])
    func injection(_ text: String) {
        #expect(throws: EdgeTokenError.self) { try AkamaiEdgeToken(key: Secret(Self.key), scope: .acl([text])) }
        if !text.contains("!") {
            #expect(throws: EdgeTokenError.self) { try AkamaiEdgeToken(key: Secret(Self.key), scope: .url(text)) }
        }
        var options = AkamaiEdgeToken.Options()
        options.name = "a b"
        #expect(throws: EdgeTokenError.name("a b")) {
            try AkamaiEdgeToken(key: Secret(Self.key), scope: .acl(["/*"]), options: options)
        }
    }
}
