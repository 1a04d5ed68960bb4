import TestSupport
import Testing

@testable import Conformance

@Suite("Rule about shared caches, with a real Varnish")
struct SharedCacheRuleTests {
    /// Rules of an operator who wants more hits: the key ignores the query, and the cache ignores the endpoint's
    /// caching headers.
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

    /// Removes every sign that a response came from the cache.
    private static let mute = """
        sub vcl_deliver {
            unset resp.http.Age;
            unset resp.http.X-Varnish;
            unset resp.http.Via;
        }
        """

    /// Caches responses to this call only.
    private static func alone(_ call: String) -> String {
        """
        sub vcl_recv {
            if (req.url !~ "/\(call)") {
                return (pass);
            }
        }
        """
    }

    /// The findings for mixed-up responses.
    private static let token = "two clients received the same token"
    private static let pair = "two clients received the same userid and password"
    private static let other = "the response differs from that of the endpoint itself"

    /// - Parameters:
    /// - rules: Varnish rules, in VCL.
    /// - names: The known readers. Default: all.
    private func check(
        _ fake: FakePublisherServer = FakePublisherServer(), _ rules: String..., of names: Set<String>? = nil
    ) async throws -> CheckReport {
        let rules = rules.joined(separator: "\n")
        return try await fake.serve { origin in
            try await Varnish.serve(before: origin, rules) { port in
                let root = try #require(Address("http://127.0.0.1:\(origin)/test"))
                var cases = fakeServerCases(origin)
                cases.readers = cases.readers.filter { names?.contains($0.name) ?? true }
                var options = CheckOptions()
                options.requestsPerSecond = .infinity
                options.through = Address("http://127.0.0.1:\(port)/test")
                return try await CheckRun(endpoint: Endpoint(root: root), cases: cases, options: options).run()
            }
        }
    }

    /// Two readers: a verification and credentials by query and by form, twice, and a sign-in and a renewal by each.
    @Test("passes with the default rules of Varnish")
    func obedient() async throws {
        let report = try await check()
        #expect(report.broken.isEmpty)
        #expect(report["shared-cache"] == .passed(24))
    }

    @Test("passes if the endpoint itself gives several readers the same userid")
    func commonUserid() async throws {
        let serverDefect = try #require(ServerDefect.all.first { $0.rule == "credentials-userid-fresh" })
        // Both readers hold the edition.
        let report = try await check(FakePublisherServer(serverDefect.change), of: ["activeall", "activesome"])
        expect(report, breaks: "credentials-userid-fresh")
        #expect(report["shared-cache"] == .passed(24))
    }

    @Test("Pitfall 16: finds a Varnish that caches what it must not and reports the hit")
    func deaf() async throws {
        let report = try await check(FakePublisherServer(), Self.deaf)
        expect(report, breaks: "shared-cache")
        let texts = report["shared-cache"]?.findings.map(\.text) ?? []
        #expect(texts.contains { $0.hasPrefix("the response came from the cache") }, "\(texts)")
    }

    @Test("Pitfall 16: finds a Varnish that mixes up two readers and hides its hits")
    func silent() async throws {
        let report = try await check(FakePublisherServer(), Self.deaf, Self.mute)
        expect(report, breaks: "shared-cache")
        let texts = Set(report["shared-cache"]?.findings.map(\.text) ?? [])
        #expect(texts == [Self.token, Self.pair, Self.other])
    }

    @Test(
        "Pitfall 16: finds a Varnish that caches a single call and hides its hits",
        arguments: [
            ("sign_in", token, "activenone"), ("verify_subscription", other, "activenone"),
            ("edition_credentials", pair, "activenone"), ("renew_token", token, "blockedtoken"),
        ])
    func oneCall(call: String, text: String, second: String) async throws {
        let report = try await check(FakePublisherServer(), Self.alone(call), Self.deaf, Self.mute)
        expect(report, breaks: "shared-cache")
        let findings = try #require(report["shared-cache"]?.findings)
        #expect(Set(findings.map(\.text)) == [text], "\(findings)")
        #expect(findings.allSatisfy { $0.request?.contains("/test/\(call)") == true }, "\(findings)")
        // The second reader's request gets the response cached for the first.
        #expect(findings.contains { $0.request?.hasPrefix("GET /test/\(call)?") == true }, "\(findings)")
        #expect(findings.contains { $0.request?.contains("(\(second)") == true }, "\(findings)")
    }

    @Test("Pitfall 16: finds cached credentials of readers who hold the same edition")
    func sameEdition() async throws {
        let report = try await check(
            FakePublisherServer(), Self.alone("edition_credentials"), Self.deaf, Self.mute,
            of: ["activeall", "activesome"])
        expect(report, breaks: "shared-cache")
        let findings = try #require(report["shared-cache"]?.findings)
        #expect(Set(findings.map(\.text)) == [Self.pair], "\(findings)")
        // By query only, twice each.
        #expect(findings.count == 4, "\(findings)")
    }

    @Test("Pitfall 16: finds cached renewals by a made-up token if only one reader can renew")
    func oneRenewal() async throws {
        let report = try await check(
            FakePublisherServer(), Self.alone("renew_token"), Self.deaf, Self.mute,
            of: ["activeall", "activenone", "expiredtoken"])
        expect(report, breaks: "shared-cache")
        let findings = try #require(report["shared-cache"]?.findings)
        #expect(findings.map(\.text) == [Self.token], "\(findings)")
        #expect(findings.map(\.request) == ["GET /test/renew_token?token=…"], "\(findings)")
    }

    @Test("finds a cache that closes the connection")
    func hangsUp() async throws {
        let fake = FakePublisherServer { request, response in
            if request.path.hasPrefix("/cached/"), request.isCredentials { response.isNothing = true }
        }
        try await fake.serve { port in
            var options = CheckOptions()
            options.requestsPerSecond = .infinity
            options.through = Address("http://127.0.0.1:\(port)/cached")
            let root = try #require(Address("http://127.0.0.1:\(port)/test"))
            let report = try await CheckRun(
                endpoint: Endpoint(root: root), cases: fakeServerCases(port), options: options
            ).run()
            expect(report, breaks: "shared-cache")
            let finding = try #require(report["shared-cache"]?.findings.first)
            #expect(finding.text == "the connection was closed without a response")
        }
    }
}
