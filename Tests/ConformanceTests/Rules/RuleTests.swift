import Foundation
import TestSupport
import Testing

@testable import Conformance

@Suite("The rules of a check")
struct RuleTests {
    @Test("find nothing wrong with a server that is as it should be")
    func clean() async throws {
        let report = try await check(StandIn())
        #expect(report.broken.isEmpty)
        let skipped = report.entries.filter { $0.verdict.word == .skipped }.map(\.rule.id)
        #expect(
            Set(skipped) == [
                "issues-unsaid", "tls-used", "tls-version", "tls-old", "tls-trusted", "tls-expiry", "shared-cache",
                "timing-enumeration",
            ])
    }

    @Test("find a server that is wrong in one way by exactly one rule", arguments: Breakage.all)
    func broken(breakage: Breakage) async throws {
        expect(try await check(StandIn(breakage.change)), breaks: breakage.rule)
    }

    @Test("find nothing wrong with a server that is right in another way", arguments: OtherWay.all)
    func right(way: OtherWay) async throws {
        let report = try await check(way.standIn())
        #expect(report.broken.isEmpty, "\(report.broken)")
    }

    @Test("have each a server that it finds")
    func everyRuleIsTested() {
        let elsewhere = [
            "issues-unsaid", "tls-used", "tls-version", "tls-old", "tls-trusted", "tls-expiry", "shared-cache",
            "timing-enumeration",
        ]
        let tested = Set(Breakage.all.map { $0.rule } + elsewhere)
        #expect(Set(RuleBook.rules.map { $0.id }) == tested)
        #expect(RuleBook.rules.count == tested.count, "an id stands twice")
    }

    @Test("say what must be so, where that stands, and what to do")
    func words() {
        for rule in RuleBook.rules {
            #expect(rule.id.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)+/) != nil)
            #expect(!rule.title.hasSuffix(".") && !rule.title.isEmpty)
            #expect(rule.source.contains(/PROTOCOLS|PITFALLS|DESIGN|RFC/), "\(rule.id)")
            let named = CitedSource.names(in: rule.source)
            #expect(Set(named).isSubset(of: CitedSource.all.map(\.name)), "\(rule.id): \(named)")
            #expect(rule.fix.hasSuffix(".") || rule.fix.hasSuffix("”."), "\(rule.id)")
        }
    }

    @Test("judge issues by the state that is answered where the case says none")
    func withoutStates() async throws {
        let list = "<issues><issue>\(StandIn.first)</issue><issue>\(StandIn.second)</issue></issues>"
        let standIn = StandIn { request, answer in
            if request.isVerification, request.user == "activeall" {
                answer.text = answer.text.replacing("</sub", with: "\(list)</sub")
            }
        }
        let cases: @Sendable (Int) -> CheckCases = { port in
            var cases = standInCases(port)
            for index in cases.readers.indices { cases.readers[index].state = nil }
            return cases
        }
        let report = try await check(standIn, cases: cases)
        #expect(report.broken.isEmpty, "\(report.broken)")
        #expect(report["issues-listed"] == .passed(1) && report["issues-inactive"] == .passed(1))
        let other = try await check(
            StandIn { request, answer in
                if request.isVerification, request.user == "activesome" {
                    answer.text = answer.text.replacing("<issue>com.pugpig.edition0003</issue>", with: "")
                }
            }, cases: cases)
        expect(other, breaks: "issues-listed")
    }

    @Test("find a password for the feed where the case says that there is none")
    func feedPassword() async throws {
        let standIn = StandIn { request, answer in
            if request.isSignIn, request["username"] == "activeall" {
                let password = StandIn.hash("", StandIn.token("activeall"))
                answer.text = answer.text.replacing("<token>", with: "<token global_auth_password=\"\(password)\">")
            }
        }
        let report = try await check(
            standIn,
            cases: { port in
                var cases = standInCases(port)
                for index in cases.readers.indices where cases.readers[index].name == "activeall" {
                    cases.readers[index].hasOwnFeed = false
                }
                return cases
            })
        expect(report, breaks: "credentials-feed-given")
    }

    @Test("say that it takes credentials for two editions to try one on the other")
    func oneEdition() async throws {
        let report = try await check(
            StandIn(),
            cases: { port in
                var cases = standInCases(port)
                cases.readers = cases.readers.filter { $0.name == "activesome" }
                return cases
            })
        #expect(report.broken.isEmpty && report["gate-opens"] == .passed(2))
        for rule in ["gate-edition", "gate-paths"] {
            let why = "credentials were given for one edition alone; a reader who holds another is needed"
            #expect(report[rule] == .skipped(why))
        }
    }

    @Test("try the gate without credentials also where nobody was given any")
    func gateWithoutCredentials() async throws {
        let none: @Sendable (Int) -> CheckCases = { port in
            var cases = standInCases(port)
            cases.readers = []
            return cases
        }
        let report = try await check(StandIn(), cases: none)
        #expect(report.broken.isEmpty && report["gate-closed"] == .passed(3) && report["gate-privileges"] == .passed(2))
        let why = "no reader was given credentials for an edition whose name stands in the content's path"
        for rule in ["gate-opens", "gate-wrong-password", "gate-edition", "gate-paths"] {
            #expect(report[rule] == .skipped(why), "\(rule)")
        }
        let open = StandIn { request, answer in if request.isContent { answer = StandIn.opened(request) } }
        #expect(try await check(open, cases: none).broken.keys.sorted() == ["gate-closed", "gate-privileges"])
    }

    @Test("do not count what was not answered among what is as it should be")
    func unanswered() async throws {
        let standIn = StandIn { request, answer in
            if request.isVerification, request.user == "activeall" { answer.isNothing = true }
        }
        let report = try await check(standIn)
        expect(report, breaks: "document-complete")
        let all = try await check(StandIn())
        guard case .passed(let some)? = report["state-expected"], case .passed(let most)? = all["state-expected"] else {
            Issue.record("\(String(describing: report["state-expected"]))")
            return
        }
        #expect(some == most - 1)
        #expect(report["issues-everything"]?.word == .passed)
    }

    @Test("find a gate that hangs up in place of a refusal, or of a part")
    func gateHangsUp() async throws {
        for (status, rule) in [(403, "gate-403"), (206, "gate-part")] {
            let standIn = StandIn { request, answer in
                if request.isContent, answer.status == status { answer.isNothing = true }
            }
            expect(try await check(standIn), breaks: rule)
        }
    }

    @Test("judge the endpoint also where the gate is away, and say that it is")
    func gateAway() async throws {
        let report = try await check(
            StandIn(),
            cases: { port in
                var cases = standInCases(port)
                cases.content = (try? FreePort.find()).flatMap {
                    Address("http://127.0.0.1:\($0)/content/\(StandIn.first).zip")
                }
                return cases
            })
        expect(report, breaks: "gate-opens")
        #expect(report["gate-opens"]?.findings.first?.text == "the connection was refused")
        #expect(report["gate-closed"]?.word == .skipped && report["malformed-nul"] == .passed(4))
    }

    @Test("take Dovetail's answer for a token, as the console does")
    func dovetail() async throws {
        let standIn = StandIn { _, answer in
            guard answer.text.contains("<token>") else { return }
            answer.text = answer.text.replacing("<token>", with: "<result_response><code a=\"b\">1</code><authToken>")
                .replacing("</token>", with: "</authToken></result_response>")
        }
        let report = try await check(standIn)
        #expect(report.broken.isEmpty)
        #expect(report["credentials-held"]?.word == .passed && report["token-renew"]?.word == .passed)
        expect(
            try await check(
                StandIn { request, answer in
                    standIn.breakage(request, &answer)
                    answer.text = answer.text.replacing("</result_", with: "<authToken>again</authToken></result_")
                }), breaks: "document-schema")
    }

    @Test("issues-unsaid hints at an inactive reader without a list")
    func issuesUnsaid() async throws {
        let cases: @Sendable (Int) -> CheckCases = { port in
            var cases = standInCases(port)
            for index in cases.readers.indices { cases.readers[index].issues = nil }
            return cases
        }
        let report = try await check(StandIn(), cases: cases)
        expect(report, breaks: "issues-unsaid")
        #expect(report.isClean() && !report.isClean(isStrict: true))
        let listed = StandIn { request, answer in
            if request.isVerification, request.user == "lapsedall" {
                answer.text = answer.text.replacing("</sub", with: "<issues/></sub")
            }
        }
        let other = try await check(
            listed,
            cases: { port in
                var cases = standInCases(port)
                cases.readers = cases.readers.filter { $0.name == "lapsedall" }
                cases.readers[0].issues = nil
                return cases
            })
        #expect(other.broken.isEmpty)
    }

    @Test("timing-enumeration hints at a server that hashes for known readers alone, and at no other")
    func timing() async throws {
        let report = try await leaking {
            try await check(
                StandIn { request, _ in if request.isSignIn, request["username"] == "peter" { StandIn.work(10) } },
                options: { $0.timedPairs = 40 })
        }
        expect(report, breaks: "timing-enumeration")
        let finding = try #require(report["timing-enumeration"]?.findings.first)
        #expect(finding.text.contains("p = ") && finding.text.contains("40 interleaved pairs"))
        #expect(report.isClean())
        let fair = try await sound {
            try await check(
                StandIn { request, _ in if request.isSignIn { StandIn.work() } }, options: { $0.timedPairs = 40 })
        }
        #expect(fair["timing-enumeration"] == .passed(40), "\(fair.broken)")
    }
}
