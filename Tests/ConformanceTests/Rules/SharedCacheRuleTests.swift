import Foundation
import TestSupport
import Testing

@testable import Conformance

@Suite("The rule about shared caches, with a real one")
struct SharedCacheRuleTests {
    /// Varnish with its defaults, which obey the endpoint.
    private static let obedient = ""

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

    private func check(_ rules: String) async throws -> CheckReport {
        try await withTemporaryFolder { folder in
            try await StandIn().serve { origin in
                let port = try FreePort.find()
                let file = folder.appendingPathComponent("cache.vcl")
                let backend = "backend origin { .host = \"127.0.0.1\"; .port = \"\(origin)\"; }"
                try Data("vcl 4.1;\n\(backend)\n\(rules)\n".utf8).write(to: file)
                let path = "/usr/sbin/varnishd"
                try #require(
                    FileManager.default.fileExists(atPath: path),
                    "\(path) is missing; install the Debian package varnish")
                let launch = ServerProcess.Launch(
                    path,
                    [
                        "-F", "-n", folder.appendingPathComponent("varnish").path, "-a", "127.0.0.1:\(port)", "-f",
                        file.path, "-s", "malloc,64m",
                    ], in: folder, until: .port(port))
                return try await withServer(launch) { _ in
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
    }

    @Test("is content with Varnish as it comes")
    func obedient() async throws {
        let report = try await check(Self.obedient)
        #expect(report.broken.isEmpty)
        #expect(report["shared-cache"] == .passed(12))
    }

    @Test("Pitfall 16: finds a Varnish that keeps what it should not, and mixes two readers")
    func deaf() async throws {
        let report = try await check(Self.deaf)
        expect(report, breaks: "shared-cache")
        let texts = report["shared-cache"]?.findings.map(\.text) ?? []
        #expect(texts.contains { $0.hasPrefix("it came out of the cache") })
    }
}
