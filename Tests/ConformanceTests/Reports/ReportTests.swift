import Foundation
import TestSupport
import Testing
import XML

@testable import Conformance

@Suite("Reports of a check")
struct ReportTests {
    /// A server that tries to inject text into the report.
    private static let hostile = ServerDefect("state-known", "markup and controls") { request, response in
        if request.isVerification {
            response.text = response.text.replacing(
                /state="[a-z]*"/, with: "state=\"&lt;script&gt;alert(1)&lt;/script&gt;&#13;&#x9b;2J\u{202E}&quot;'\"")
        }
    }

    private func report() async throws -> CheckReport { try await check(FakePublisherServer(Self.hostile.change)) }

    @Test("The table states finding, reason and fix, and escapes everything that the server sent")
    func table() async throws {
        let report = try await report()
        let table = report.table()
        #expect(table.contains("FAILED  state-known"))
        #expect(
            table.contains("why  The state is unknown, active, inactive, ")
                && table.contains("fix  Use one of the five values"))
        #expect(table.contains(/• and [0-9]+ more\n/))
        #expect(table.hasSuffix(report.summaryLine))
        let isPlain = table.unicodeScalars.allSatisfy {
            $0 == "\n" || ($0.value >= 0x20 && !(0x7F...0x9F).contains($0.value))
        }
        #expect(isPlain && !table.unicodeScalars.contains("\u{202E}"))
        #expect(table.contains("\\u{9b}"))
        #expect(report.table(hasColour: true).contains("\u{1B}[1;31mFAILED\u{1B}[0m"))
    }

    @Test("The table states the reason and its source within the width of the terminal")
    func why() throws {
        let probe = Probe(.unknownPath, try #require(Address("http://127.0.0.1/test/x")))
        let report = try judge(Exchange(probe, .success(ReceivedResponse(status: 200))))
        #expect(Set(report.broken.keys) == ["cache-not-found", "path-unknown"])
        let rule = try #require(RuleBook.rules.first { $0.id == "cache-not-found" })
        #expect(rule.why == "\(SourceCitation.text(of: rule.source)) (\(rule.source))")
        #expect(rule.why.hasPrefix("A cache between app and server "))
        for width in [80, 100] {
            let table = report.table(width: width)
            let words = table.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
            #expect(words.contains("why \(rule.why) fix \(rule.fix)"))
            // Public standards are only named.
            #expect(words.contains("why RFC 9110 section 15.5.5 fix "))
            let further = table.split(separator: "\n").filter { $0.hasPrefix(String(repeating: " ", count: 12)) }
            #expect(further.count > 10 && further.allSatisfy { $0.count <= width }, "\(table)")
        }
    }

    @Test("The page has no script and no external resource, and escapes every foreign byte")
    func page() async throws {
        let page = try await report().html
        #expect(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
        #expect(
            !page.contains("<script") && !page.contains("src=") && !page.contains("href=") && !page.contains("url("))
        #expect(page.contains("default-src 'none'"))
        // It contains the text of the sources of the broken rules and of no others.
        let name = "Pugpig protocol: Subscription states"
        let text = try #require(SourceCitation.all.first { $0.name == name }).text
        #expect(page.contains("<dt>\(name)</dt>\n<dd>\(CheckReport.escape(text))</dd>"))
        #expect(!page.contains("<dt>Pitfall 2</dt>"))
        // Well-formed but for the parts of HTML that are not XML.
        let body = try #require(page.firstRange(of: "<body>"))
        let xml = page[body.lowerBound...].replacing("</html>", with: "").replacing("<br>", with: "<br/>")
        #expect(throws: Never.self) { try XMLDocument(parsing: Array(xml.utf8)) }
    }

    @Test("JUnit has a test case for each rule and a failure for each broken one")
    func junit() async throws {
        let report = try await report()
        let suites = try XMLDocument(parsing: report.junit()).root
        #expect(suites.name == "testsuites" && suites.attributes["tests"] == "\(RuleBook.rules.count)")
        let cases = suites.children.flatMap(\.children)
        #expect(cases.map { $0.attributes["name"] } == RuleBook.rules.map(\.id))
        let failed = cases.filter { $0.child("failure") != nil }.map { $0.attributes["name"] }
        #expect(failed == report.entries.filter { $0.verdict.kind == .failed }.map(\.rule.id))
        let why = try #require(RuleBook.rules.first { $0.id == "state-known" }).why
        #expect(cases.compactMap { $0.child("failure")?.text }.contains { $0.contains("\nwhy: \(why)\nfix: ") })
        #expect(cases.count { $0.child("skipped") != nil } == report.count(.skipped))
        #expect(
            suites.children.compactMap { $0.attributes["failures"].flatMap { Int($0) } }.reduce(0, +) == failed.count)
    }

    @Test("JUnit reports a warning as a failure only in strict mode")
    func warnings() async throws {
        let report = try await check(FakePublisherServer { _, response in response.set("Retry-After", nil) })
        for isStrict in [false, true] {
            let suites = try XMLDocument(parsing: report.junit(isStrict: isStrict)).root
            let one = suites.children.flatMap(\.children).first { $0.attributes["name"] == "failure-retry" }
            #expect((one?.child("failure") != nil) == isStrict)
            #expect((one?.child("system-out") != nil) == !isStrict)
        }
    }

    @Test("JSON has every rule with its verdict")
    func json() async throws {
        struct Read: Decodable {
            struct Rule: Decodable {
                struct Finding: Decodable { let text, request, response: String? }
                let id, verdict, source, fix: String
                let why: String?
                let findings: [Finding]
            }
            let endpoint: String
            let clean: Bool
            let requests: Int
            let counts: [String: Int]
            let rules: [Rule]
        }
        let report = try await report()
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        let read = try JSONDecoder().decode(Read.self, from: try encoder.encode(report))
        #expect(read.rules.map(\.id) == RuleBook.rules.map(\.id))
        #expect(!read.clean && read.counts["failed"] == report.count(.failed))
        let broken = try #require(read.rules.first { $0.id == "state-known" })
        #expect(broken.verdict == "failed" && broken.findings.first?.request?.contains("token=…") == true)
        let name = "Pugpig protocol: Subscription states"
        let text = try #require(SourceCitation.all.first { $0.name == name }).text
        #expect(broken.source == name && broken.why == text)
        let common = try #require(read.rules.first { $0.id == "path-unknown" })
        #expect(common.source.hasPrefix("RFC ") && common.why == nil)
    }

    @Test("All reports warn if nothing looks like an endpoint")
    func reportWarning() async throws {
        let report = try await check(
            FakePublisherServer { request, response in
                if request.path.hasPrefix("/test/") { response = .text(200, "<html><body>Welcome</body></html>") }
            })
        let reportWarning = try #require(report.reportWarning)
        #expect(
            reportWarning.hasPrefix("No call returned a document of the protocol. Are the calls below http:"))
        #expect(report.table(width: 1_000).contains(" s\n\n\(reportWarning)\n\ncache\n") && report.unsigned == nil)
        #expect(report.html.contains("<p>\(reportWarning)</p>"))
        let suites = try XMLDocument(parsing: report.junit()).root.children
        #expect(suites.map { $0.child("system-out")?.text } == [reportWarning] + suites.dropFirst().map { _ in nil })
        #expect(
            String(decoding: try JSONEncoder().encode(report), as: UTF8.self).contains("\"warning\":\"No call"))
        let clean = try await check(FakePublisherServer())
        #expect(clean.remarks.isEmpty && !clean.table().contains("failed: "))
    }

    @Test("The table ends with the failed rules, and all reports name readers who could not sign in")
    func ends() async throws {
        let report = try await check(
            FakePublisherServer { request, response in
                if request.isSignIn, ["activeall", "lapsedall"].contains(request["username"]) {
                    response = FakePublisherServer().document("<error status=\"throttled\"/>")
                }
            })
        let remark = "Not signed in, so the rest of the case was not judged: activeall, lapsedall"
        #expect(report.unsigned == remark && report.reportWarning == nil)
        #expect(report.table().hasSuffix("\n\nfailed: state-sign-in, state-lapsed-sign-in\n\(report.summaryLine)"))
        let text = "the response has no token, but the error “throttled”"
        #expect(report["state-sign-in"]?.findings.first?.text == text)
        let texts = [
            report.table(), report.html, String(decoding: report.junit(), as: UTF8.self),
            String(decoding: try JSONEncoder().encode(report), as: UTF8.self),
        ]
        for text in texts { #expect(text.contains(remark)) }
    }

    @Test("No report contains a password, a token or a secret")
    func secrets() async throws {
        let report = try await check(
            FakePublisherServer { request, response in
                response.set("Cache-Control", nil)
                response.text += "<!-- \(request["token"] ?? "") \(request["password"] ?? "") -->"
            })
        let encoder = JSONEncoder()
        let texts = [
            report.table(), report.html, String(decoding: report.junit(), as: UTF8.self),
            String(decoding: try encoder.encode(report), as: UTF8.self),
        ]
        #expect(!report.isClean())
        for text in texts {
            for kind in ["llaevitca", "marker-5f0c1d7e", FakePublisherServer.secret, "salt1"] {
                #expect(!text.contains(kind), "\(kind)")
            }
        }
    }
}
