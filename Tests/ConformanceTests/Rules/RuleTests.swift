import Foundation
import TestSupport
import Testing

@testable import Conformance

@Suite("Rules of a check")
struct RuleTests {
    @Test("find nothing in a compliant server")
    func clean() async throws {
        let report = try await check(FakePublisherServer())
        #expect(report.broken.isEmpty)
        let skipped = report.entries.filter { $0.verdict.kind == .skipped }.map(\.rule.id)
        #expect(
            Set(skipped) == [
                "issues-unsaid", "tls-used", "tls-version", "tls-old", "tls-trusted", "tls-expiry", "shared-cache",
                "timing-enumeration",
            ])
    }

    @Test("find a server with one defect by exactly one rule", arguments: ServerDefect.all)
    func broken(serverDefect: ServerDefect) async throws {
        expect(try await check(FakePublisherServer(serverDefect.change)), breaks: serverDefect.rule)
    }

    @Test("find nothing in a compliant variant", arguments: CompliantVariant.all)
    func right(way: CompliantVariant) async throws {
        let report = try await check(way.fake())
        #expect(report.broken.isEmpty, "\(report.broken)")
    }

    @Test("each have a defective server that they find")
    func everyRuleIsTested() {
        let elsewhere = [
            "issues-unsaid", "tls-used", "tls-version", "tls-old", "tls-trusted", "tls-expiry", "shared-cache",
            "timing-enumeration",
        ]
        let tested = Set(ServerDefect.all.map { $0.rule } + elsewhere)
        #expect(Set(RuleBook.rules.map { $0.id }) == tested)
        #expect(RuleBook.rules.count == tested.count, "a rule ID is not unique")
    }

    @Test("state a requirement, a source and a fix")
    func texts() {
        for rule in RuleBook.rules {
            #expect(rule.id.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)+/) != nil)
            #expect(!rule.title.hasSuffix(".") && !rule.title.isEmpty)
            let named = SourceCitation.names(in: rule.source)
            #expect(!named.isEmpty || rule.source.hasPrefix("RFC "), "\(rule.id)")
            #expect(Set(named).isSubset(of: SourceCitation.all.map(\.name)), "\(rule.id): \(named)")
            #expect(rule.fix.hasSuffix(".") || rule.fix.hasSuffix("”."), "\(rule.id)")
        }
    }

    @Test("judge the issues by the returned state if the case has none")
    func withoutStates() async throws {
        let list =
            "<issues><issue>\(FakePublisherServer.first)</issue><issue>\(FakePublisherServer.second)</issue></issues>"
        let fake = FakePublisherServer { request, response in
            if request.isVerification, request.user == "activeall" {
                response.text = response.text.replacing("</sub", with: "\(list)</sub")
            }
        }
        let cases: @Sendable (Int) -> CheckCases = { port in
            var cases = fakeServerCases(port)
            for index in cases.readers.indices { cases.readers[index].state = nil }
            return cases
        }
        let report = try await check(fake, cases: cases)
        #expect(report.broken.isEmpty, "\(report.broken)")
        #expect(report["issues-listed"] == .passed(1) && report["issues-inactive"] == .passed(1))
        let other = try await check(
            FakePublisherServer { request, response in
                if request.isVerification, request.user == "activesome" {
                    response.text = response.text.replacing("<issue>com.pugpig.edition0003</issue>", with: "")
                }
            }, cases: cases)
        expect(other, breaks: "issues-listed")
    }

    @Test("find a feed password that the case excludes")
    func feedPassword() async throws {
        let fake = FakePublisherServer { request, response in
            if request.isSignIn, request["username"] == "activeall" {
                let password = FakePublisherServer.hash("", FakePublisherServer.token("activeall"))
                response.text = response.text.replacing("<token>", with: "<token global_auth_password=\"\(password)\">")
            }
        }
        let report = try await check(
            fake,
            cases: { port in
                var cases = fakeServerCases(port)
                for index in cases.readers.indices where cases.readers[index].name == "activeall" {
                    cases.readers[index].hasOwnFeed = false
                }
                return cases
            })
        expect(report, breaks: "credentials-feed-given")
    }

    @Test("are skipped with a reason if credentials exist for one edition only")
    func oneEdition() async throws {
        let report = try await check(
            FakePublisherServer(),
            cases: { port in
                var cases = fakeServerCases(port)
                cases.readers = cases.readers.filter { $0.name == "activesome" }
                return cases
            })
        #expect(report.broken.isEmpty && report["gate-opens"] == .passed(2))
        for rule in ["gate-edition", "gate-paths"] {
            let why = "credentials were issued for one edition only; a reader who holds another edition is needed"
            #expect(report[rule] == .skipped(why))
        }
    }

    @Test("test the gate without credentials even if no reader got any")
    func gateWithoutCredentials() async throws {
        let none: @Sendable (Int) -> CheckCases = { port in
            var cases = fakeServerCases(port)
            cases.readers = []
            return cases
        }
        let report = try await check(FakePublisherServer(), cases: none)
        #expect(report.broken.isEmpty && report["gate-closed"] == .passed(3) && report["gate-privileges"] == .passed(2))
        let why = "no reader received credentials for an edition named in the path of the content file"
        for rule in ["gate-opens", "gate-wrong-password", "gate-edition", "gate-paths"] {
            #expect(report[rule] == .skipped(why), "\(rule)")
        }
        let open = FakePublisherServer { request, response in
            if request.isContent { response = FakePublisherServer.opened(request) }
        }
        #expect(try await check(open, cases: none).broken.keys.sorted() == ["gate-closed", "gate-privileges"])
    }

    @Test("do not count unanswered calls as passed")
    func unanswered() async throws {
        let fake = FakePublisherServer { request, response in
            if request.isVerification, request.user == "activeall" { response.isNothing = true }
        }
        let report = try await check(fake)
        expect(report, breaks: "document-complete")
        let all = try await check(FakePublisherServer())
        guard case .passed(let some)? = report["state-expected"], case .passed(let total)? = all["state-expected"]
        else {
            Issue.record("\(String(describing: report["state-expected"]))")
            return
        }
        #expect(some == total - 1)
        #expect(report["issues-everything"]?.kind == .passed)
    }

    @Test("find a gate that closes the connection instead of a denial or a range")
    func gateHangsUp() async throws {
        for (status, rule) in [(403, "gate-403"), (206, "gate-part")] {
            let fake = FakePublisherServer { request, response in
                if request.isContent, response.status == status { response.isNothing = true }
            }
            expect(try await check(fake), breaks: rule)
        }
    }

    @Test("judge the endpoint even if the gate is unreachable, and report that")
    func gateUnreachable() async throws {
        let report = try await check(
            FakePublisherServer(),
            cases: { port in
                var cases = fakeServerCases(port)
                cases.content = (try? FreePort.find()).flatMap {
                    Address("http://127.0.0.1:\($0)/content/\(FakePublisherServer.first).zip")
                }
                return cases
            })
        expect(report, breaks: "gate-opens")
        #expect(report["gate-opens"]?.findings.first?.text == "the connection was refused")
        #expect(report["gate-closed"]?.kind == .skipped && report["malformed-nul"] == .passed(4))
    }

    @Test("accept Dovetail's token document, as the console does")
    func dovetail() async throws {
        let fake = FakePublisherServer { _, response in
            guard response.text.contains("<token>") else { return }
            response.text = response.text.replacing(
                "<token>", with: "<result_response><code a=\"b\">1</code><authToken>"
            )
            .replacing("</token>", with: "</authToken></result_response>")
        }
        let report = try await check(fake)
        #expect(report.broken.isEmpty)
        #expect(report["credentials-held"]?.kind == .passed && report["token-renew"]?.kind == .passed)
        expect(
            try await check(
                FakePublisherServer { request, response in
                    fake.serverDefect(request, &response)
                    response.text = response.text.replacing("</result_", with: "<authToken>again</authToken></result_")
                }), breaks: "document-schema")
    }

    @Test("issues-unsaid warns about an inactive reader without a list")
    func issuesUnsaid() async throws {
        let cases: @Sendable (Int) -> CheckCases = { port in
            var cases = fakeServerCases(port)
            for index in cases.readers.indices { cases.readers[index].issues = nil }
            return cases
        }
        let report = try await check(FakePublisherServer(), cases: cases)
        expect(report, breaks: "issues-unsaid")
        #expect(report.isClean() && !report.isClean(isStrict: true))
        let listed = FakePublisherServer { request, response in
            if request.isVerification, request.user == "lapsedall" {
                response.text = response.text.replacing("</sub", with: "<issues/></sub")
            }
        }
        let other = try await check(
            listed,
            cases: { port in
                var cases = fakeServerCases(port)
                cases.readers = cases.readers.filter { $0.name == "lapsedall" }
                cases.readers[0].issues = nil
                return cases
            })
        #expect(other.broken.isEmpty)
    }

    @Test("timing-enumeration warns about a server that hashes only for known readers, and about no other")
    func timing() async throws {
        let report = try await leaking {
            try await check(
                FakePublisherServer { request, response in
                    if request.isSignIn, request["username"] == "peter" { response.delay = FakeResponse.slow }
                },
                options: { $0.timedPairs = 40 })
        }
        expect(report, breaks: "timing-enumeration")
        let finding = try #require(report["timing-enumeration"]?.findings.first)
        #expect(finding.text.contains("p = ") && finding.text.contains("40 interleaved pairs"))
        #expect(report.isClean())
        let fair = try await sound {
            try await check(
                FakePublisherServer { request, response in
                    if request.isSignIn { response.delay = FakeResponse.usual }
                },
                options: { $0.timedPairs = 40 })
        }
        #expect(fair["timing-enumeration"] == .passed(40), "\(fair.broken)")
    }
}
