import TestSupport
import Testing

@testable import Conformance

@Suite("The rule about shared caches, with a real one")
struct SharedCacheRuleTests {
    /// What somebody writes who wants more hits: the query is no part of the key, and what the endpoint says is not heard.
    private static let deaf = """
        sub vcl_hash {
            hash_data(regsub(req.url, "\\?.*", ""));
            return (lookup);
        }
        sub vcl_backend_response {
            set beresp.ttl = 10m;
            set beresp.uncacheable = false;
            return (deliver);
        }
        """

    /// Nothing in an answer says that it came out of the cache.
    private static let mute = """
        sub vcl_deliver {
            unset resp.http.Age;
            unset resp.http.X-Varnish;
            unset resp.http.Via;
        }
        """

    /// Only answers to the call are looked for in the cache.
    private static func alone(_ call: String) -> String {
        """
        sub vcl_recv {
            if (req.url !~ "/\(call)") {
                return (pass);
            }
        }
        """
    }

    /// What is found where answers are mixed.
    private static let token = "two who asked were given one token"
    private static let pair = "two who asked were given one userid and password"
    private static let other = "it is not what the endpoint itself says"

    /// - Parameters:
    ///   - rules: of Varnish, in VCL.
    ///   - names: the readers who are known; all of them unless said.
    private func check(
        _ standIn: StandIn = StandIn(), _ rules: String..., of names: Set<String>? = nil
    ) async throws -> CheckReport {
        let rules = rules.joined(separator: "\n")
        return try await standIn.serve { origin in
            try await Varnish.serve(before: origin, rules) { port in
                let root = try #require(Address("http://127.0.0.1:\(origin)/test"))
                var cases = standInCases(origin)
                cases.readers = cases.readers.filter { names?.contains($0.name) ?? true }
                var options = CheckOptions()
                options.requestsPerSecond = .infinity
                options.through = Address("http://127.0.0.1:\(port)/test")
                return try await Checkup(endpoint: Endpoint(root: root), cases: cases, options: options).run()
            }
        }
    }

    /// Two readers: a verification and credentials by query and by form, twice, and a sign-in and a renewal by each.
    @Test("is content with Varnish as it comes")
    func obedient() async throws {
        let report = try await check()
        #expect(report.broken.isEmpty)
        #expect(report["shared-cache"] == .passed(24))
    }

    @Test("is content with userids that the endpoint itself gives to several readers")
    func commonUserid() async throws {
        let breakage = try #require(Breakage.all.first { $0.rule == "credentials-userid-fresh" })
        // Both hold the edition.
        let report = try await check(StandIn(breakage.change), of: ["activeall", "activesome"])
        expect(report, breaks: "credentials-userid-fresh")
        #expect(report["shared-cache"] == .passed(24))
    }

    @Test("Pitfall 16: finds a Varnish that keeps what it should not, and says so")
    func deaf() async throws {
        let report = try await check(StandIn(), Self.deaf)
        expect(report, breaks: "shared-cache")
        let texts = report["shared-cache"]?.findings.map(\.text) ?? []
        #expect(texts.contains { $0.hasPrefix("it came out of the cache") }, "\(texts)")
    }

    @Test("Pitfall 16: finds a Varnish that mixes two readers, and does not say that it keeps anything")
    func silent() async throws {
        let report = try await check(StandIn(), Self.deaf, Self.mute)
        expect(report, breaks: "shared-cache")
        let texts = Set(report["shared-cache"]?.findings.map(\.text) ?? [])
        #expect(texts == [Self.token, Self.pair, Self.other])
    }

    @Test(
        "Pitfall 16: finds one that keeps the answers to one call alone, and does not say so",
        arguments: [
            ("sign_in", token, "activenone"), ("verify_subscription", other, "activenone"),
            ("edition_credentials", pair, "activenone"), ("renew_token", token, "blockedtoken"),
        ])
    func oneCall(call: String, text: String, second: String) async throws {
        let report = try await check(StandIn(), Self.alone(call), Self.deaf, Self.mute)
        expect(report, breaks: "shared-cache")
        let findings = try #require(report["shared-cache"]?.findings)
        #expect(Set(findings.map(\.text)) == [text], "\(findings)")
        #expect(findings.allSatisfy { $0.request?.contains("/test/\(call)") == true }, "\(findings)")
        // The second of the two asks for what is kept of the first.
        #expect(findings.contains { $0.request?.hasPrefix("GET /test/\(call)?") == true }, "\(findings)")
        #expect(findings.contains { $0.request?.contains("(\(second)") == true }, "\(findings)")
    }

    @Test("Pitfall 16: finds one that keeps the credentials of readers who hold the same edition")
    func sameEdition() async throws {
        let report = try await check(
            StandIn(), Self.alone("edition_credentials"), Self.deaf, Self.mute, of: ["activeall", "activesome"])
        expect(report, breaks: "shared-cache")
        let findings = try #require(report["shared-cache"]?.findings)
        #expect(Set(findings.map(\.text)) == [Self.pair], "\(findings)")
        // By query alone, each twice.
        #expect(findings.count == 4, "\(findings)")
    }

    @Test("Pitfall 16: finds one that keeps renewals where one reader alone can renew, by a made-up token")
    func oneRenewal() async throws {
        let report = try await check(
            StandIn(), Self.alone("renew_token"), Self.deaf, Self.mute, of: ["activeall", "activenone", "expiredtoken"])
        expect(report, breaks: "shared-cache")
        let findings = try #require(report["shared-cache"]?.findings)
        #expect(findings.map(\.text) == [Self.token], "\(findings)")
        #expect(findings.map(\.request) == ["GET /test/renew_token?token=…"], "\(findings)")
    }

    @Test("finds a cache that hangs up")
    func hangsUp() async throws {
        let standIn = StandIn { request, answer in
            if request.path.hasPrefix("/cached/"), request.isCredentials { answer.isNothing = true }
        }
        try await standIn.serve { port in
            var options = CheckOptions()
            options.requestsPerSecond = .infinity
            options.through = Address("http://127.0.0.1:\(port)/cached")
            let root = try #require(Address("http://127.0.0.1:\(port)/test"))
            let report = try await Checkup(
                endpoint: Endpoint(root: root), cases: standInCases(port), options: options
            ).run()
            expect(report, breaks: "shared-cache")
            let finding = try #require(report["shared-cache"]?.findings.first)
            #expect(finding.text == "the connection was closed without an answer")
        }
    }
}
