import ContentGate
import Foundation
import TestSupport
import Testing

extension FrontTests {
    @Test(
        "Pitfall 20: logs contain no download token, query or credentials, and each request has a line",
        arguments: Front.allCases)
    func logs(_ front: Front) async throws {
        try await withSite(front) { site async throws in
            let secrets = try await sendEveryRequest(site)
            for secret in secrets { #expect(try !site.logs().contains(secret)) }
            try await expectLine(of: "/content/daily/ed-1/index.html", site, front)
        }
    }

    @Test(
        "Pitfall 20: logs contain no path of an app's call, which may hold an identifier that opens purchases",
        arguments: Front.allCases)
    func logsOfCalls(_ front: Front) async throws {
        try await withSite(front) { site async throws in
            for target in [
                "/purchases/com.example.daily/\(Self.installation)",
                "/com.example.daily/\(Self.installation)/purchases?a",
                "/content/\(Self.installation)", "/contents/daily/\(Self.installation)",
            ] {
                #expect(try await site.http.send("GET", target).status >= 400)
            }
            _ = try await site.get("ed-1/index.html", [try GateHarness.authorization(for: "ed-1")])
            try await expectLine(of: "/content/daily/ed-1/index.html", site, front)
            #expect(try !site.logs().contains(Self.installation))
            if front == .varnish {
                let lines = try await varnishLines(site)
                #expect(!lines.contains(Self.installation))
            }
        }
    }

    private static let installation = "6B8F0E1C-2A3D-4E5F-8A9B-0C1D2E3F4A5B"

    @Test("Pitfall 20: logs contain no secrets while the gate is down", arguments: Front.allCases)
    func logsOfOutages(_ front: Front) async throws {
        try await withSite(front, requesting: try FreePort.find()) { site async throws in
            let secrets = try await sendEveryRequest(site)
            for secret in secrets { #expect(try !site.logs().contains(secret)) }
        }
    }

    /// Sends requests with valid credentials in every way that a server could log.
    ///
    /// - Returns: The texts that no log line may contain.
    private func sendEveryRequest(_ site: Site) async throws -> [String] {
        let downloadToken = try GateHarness.downloadToken(for: "ed-1").text
        let reader = try GateHarness.authorization(for: "ed-1")
        let target = Site.target("ed-1/index.html")
        for (method, target, fields) in [
            ("GET", target + "?ticket=\(downloadToken)", []), ("GET", target, [reader]),
            ("HEAD", target + "?a=b&ticket=\(downloadToken)", []), ("POST", target + "?ticket=\(downloadToken)", []),
            (
                "GET", target + "?ticket=\(downloadToken)",
                [reader, ("Referer", "https://a.example.com\(target)?ticket=\(downloadToken)")]
            ),
            ("GET", Site.target("ed-1/none.html") + "?ticket=\(downloadToken)", []),
            ("GET", Site.target("ed-2/index.html") + "?ticket=\(downloadToken)", []),
            ("GET", "/content/daily/%zz?ticket=\(downloadToken)", []),
            ("GET", "/content/daily/a%2fb?ticket=\(downloadToken)", []),
            ("GET", "/elsewhere?ticket=\(downloadToken)", [reader]),
            ("GET", target + "?ticket=\(downloadToken)", [("Range", "bytes=9-1")]),
        ] as [(String, String, [(String, String)])] {
            _ = try? await site.http.send(method, target, fields)
        }
        let pair = reader.1.replacing("Basic ", with: "")
        return [downloadToken, String(downloadToken.prefix(24)), pair, "ticket="]
    }

    /// Waits for the line, because a log may be written after the response.
    private func expectLine(of path: String, _ site: Site, _ front: Front) async throws {
        if front == .varnish { return try await expectVarnishLine(of: path, site) }
        let deadline = ContinuousClock.now + .seconds(120)
        while try !site.logs().contains(path), ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try site.logs().contains(path))
    }

    /// Expects the line in the output of varnishncsa with the documented format.
    private func expectVarnishLine(of path: String, _ site: Site) async throws {
        let lines = try await varnishLines(site)
        #expect(lines.contains(path))
        #expect(!lines.contains("ticket="))
    }

    private func varnishLines(_ site: Site) async throws -> String {
        let program = try Installed("/usr/bin/varnishncsa", package: "varnish")
        let file = SitePlan.fronts.appendingPathComponent("varnish/gatefold.vcl")
        let match = try String(contentsOf: file, encoding: .utf8).firstMatch(of: /varnishncsa -F '([^']+)'/)
        let format = String(try #require(match).1)
        let lines = try await CommandRun.of(
            program.path, ["-d", "-n", site.plan.folder.appendingPathComponent("varnish").path, "-F", format],
            in: site.plan.folder)
        return lines.output
    }
}
