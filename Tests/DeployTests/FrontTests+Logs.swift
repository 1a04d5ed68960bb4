import ContentGate
import Foundation
import TestSupport
import Testing

extension FrontTests {
    @Test(
        "Pitfall 20: no log has a ticket, a query or credentials, and each request has a line",
        arguments: Front.allCases)
    func logs(_ front: Front) async throws {
        try await withSite(front) { site async throws in
            let secrets = try await askEverything(site)
            for secret in secrets { #expect(try !site.logs().contains(secret)) }
            try await expectLine(of: "/content/daily/ed-1/index.html", site, front)
        }
    }

    @Test(
        "Pitfall 20: no log has the path of an app's call that came to the front, where an identifier may be that opens purchases",
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
            _ = try await site.get("ed-1/index.html", [try GateUnderTest.authorization(for: "ed-1")])
            try await expectLine(of: "/content/daily/ed-1/index.html", site, front)
            #expect(try !site.logs().contains(Self.installation))
            if front == .varnish {
                let lines = try await varnishLines(site)
                #expect(!lines.contains(Self.installation))
            }
        }
    }

    private static let installation = "6B8F0E1C-2A3D-4E5F-8A9B-0C1D2E3F4A5B"

    @Test("Pitfall 20: nor while the gate can not be asked", arguments: Front.allCases)
    func logsOfOutages(_ front: Front) async throws {
        try await withSite(front, asking: try FreePort.find()) { site async throws in
            let secrets = try await askEverything(site)
            for secret in secrets { #expect(try !site.logs().contains(secret)) }
        }
    }

    /// Sends what opens an edition in every way that a server could find worth a line.
    ///
    /// - Returns: what no line may hold.
    private func askEverything(_ site: Site) async throws -> [String] {
        let ticket = try GateUnderTest.ticket(for: "ed-1").text
        let reader = try GateUnderTest.authorization(for: "ed-1")
        let target = Site.target("ed-1/index.html")
        for (method, target, fields) in [
            ("GET", target + "?ticket=\(ticket)", []), ("GET", target, [reader]),
            ("HEAD", target + "?a=b&ticket=\(ticket)", []), ("POST", target + "?ticket=\(ticket)", []),
            (
                "GET", target + "?ticket=\(ticket)",
                [reader, ("Referer", "https://a.example.com\(target)?ticket=\(ticket)")]
            ),
            ("GET", Site.target("ed-1/none.html") + "?ticket=\(ticket)", []),
            ("GET", Site.target("ed-2/index.html") + "?ticket=\(ticket)", []),
            ("GET", "/content/daily/%zz?ticket=\(ticket)", []), ("GET", "/content/daily/a%2fb?ticket=\(ticket)", []),
            ("GET", "/elsewhere?ticket=\(ticket)", [reader]),
            ("GET", target + "?ticket=\(ticket)", [("Range", "bytes=9-1")]),
        ] as [(String, String, [(String, String)])] {
            _ = try? await site.http.send(method, target, fields)
        }
        let pair = reader.1.replacing("Basic ", with: "")
        return [ticket, String(ticket.prefix(24)), pair, "ticket="]
    }

    /// Logs may be written a moment after the answer.
    private func expectLine(of path: String, _ site: Site, _ front: Front) async throws {
        if front == .varnish { return try await expectVarnishLine(of: path, site) }
        let deadline = ContinuousClock.now + .seconds(120)
        while try !site.logs().contains(path), ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try site.logs().contains(path))
    }

    /// Varnish leaves the log to another program, which the configuration tells how to write it.
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
