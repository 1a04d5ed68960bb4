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

    private func check(_ rules: String...) async throws -> CheckReport {
        let rules = rules.joined(separator: "\n")
        return try await StandIn().serve { origin in
            try await Varnish.serve(before: origin, rules) { port in
                let root = try #require(Address("http://127.0.0.1:\(origin)/test"))
                var options = CheckOptions()
                options.requestsPerSecond = .infinity
                options.through = Address("http://127.0.0.1:\(port)/test")
                return try await Checkup(
                    endpoint: Endpoint(root: root), cases: standInCases(origin), options: options
                ).run()
            }
        }
    }

    @Test("is content with Varnish as it comes")
    func obedient() async throws {
        let report = try await check()
        #expect(report.broken.isEmpty)
        #expect(report["shared-cache"] == .passed(12))
    }

    @Test("Pitfall 16: finds a Varnish that keeps what it should not, and says so")
    func deaf() async throws {
        let report = try await check(Self.deaf)
        expect(report, breaks: "shared-cache")
        let texts = report["shared-cache"]?.findings.map(\.text) ?? []
        #expect(texts.contains { $0.hasPrefix("it came out of the cache") }, "\(texts)")
    }

    @Test("Pitfall 16: finds a Varnish that mixes two readers, and does not say that it keeps anything")
    func silent() async throws {
        let report = try await check(Self.deaf, Self.mute)
        expect(report, breaks: "shared-cache")
        let texts = Set(report["shared-cache"]?.findings.map(\.text) ?? [])
        #expect(texts == ["two readers were given one token", "it is not what the endpoint itself says"])
    }

    @Test(
        "Pitfall 16: finds one that keeps the answers to one call alone, and does not say so",
        arguments: zip(
            ["sign_in", "verify_subscription"],
            ["two readers were given one token", "it is not what the endpoint itself says"]))
    func oneCall(call: String, text: String) async throws {
        let report = try await check(Self.alone(call), Self.deaf, Self.mute)
        expect(report, breaks: "shared-cache")
        let findings = try #require(report["shared-cache"]?.findings)
        #expect(Set(findings.map(\.text)) == [text], "\(findings)")
        #expect(findings.allSatisfy { $0.request?.contains("/test/\(call)") == true }, "\(findings)")
        // The second of the two asks for what is kept of the first.
        #expect(findings.contains { $0.request?.hasPrefix("GET /test/\(call)?") == true }, "\(findings)")
        #expect(findings.contains { $0.request?.hasSuffix("(activenone)") == true }, "\(findings)")
    }
}
