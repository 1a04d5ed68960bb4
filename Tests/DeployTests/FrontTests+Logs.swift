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
        let program = try Installed("/usr/bin/varnishncsa", package: "varnish")
        let file = SitePlan.fronts.appendingPathComponent("varnish/gatefold.vcl")
        let match = try String(contentsOf: file, encoding: .utf8).firstMatch(of: /varnishncsa -F '([^']+)'/)
        let format = String(try #require(match).1)
        let lines = try await CommandRun.of(
            program.path, ["-d", "-n", site.plan.folder.appendingPathComponent("varnish").path, "-F", format],
            in: site.plan.folder)
        #expect(lines.output.contains(path))
        #expect(!lines.output.contains("ticket="))
    }
}
