import TestSupport
import Testing

@testable import Conformance

@Suite("The rule about a subscriber system that can not answer")
struct FailureRuleTests {
    /// Checks a server that answers a call for a reader whose subscriber system is down with the document.
    ///
    /// - Parameters:
    ///   - state: what the case says is known.
    ///   - renewal: what the case says of the token.
    private func check(
        _ call: Call = .verifySubscription, answering document: String, known state: CheckReader.State? = .active,
        _ issues: CheckReader.Issues? = .everything, renewal: CheckReader.Renewal? = nil
    ) async throws -> CheckReport {
        try await ConformanceTests.check(
            StandIn { request, answer in
                if request.call == call.rawValue, request.method == "GET", request.user == "200-500-500" {
                    answer = StandIn().document(document)
                }
            },
            cases: { port in
                var cases = standInCases(port)
                cases.readers = cases.readers.filter { $0.name == "200-500-500" }
                cases.readers[0].state = state
                cases.readers[0].issues = issues
                cases.readers[0].renewal = renewal
                cases.content = nil
                return cases
            })
    }

    @Test("Pitfall 9: let wrong and malformed sign-ins fail as well, where the sign-ins of all readers do")
    func allAway() async throws {
        let report = try await ConformanceTests.check(
            StandIn { request, answer in
                guard request.isSignIn else { return }
                let isHead = answer.isHead
                answer = .text(503, "Temporarily unavailable")
                answer.set("Retry-After", "30")
                answer.isHead = isHead
            },
            cases: { port in
                var cases = standInCases(port)
                cases.readers = cases.readers.filter { $0.failing.contains(.signIn) }
                return cases
            })
        #expect(report.broken.isEmpty, "\(report.broken)")
        #expect(report["refusal-sign-in"] == .skipped("no sign-in was refused"))
        #expect(report["failure-direction"] == .passed(1))
    }

    @Test("Pitfall 9: takes the last known answer for an answer")
    func lastKnown() async throws {
        let known = try await check(answering: "<subscription state=\"active\"/>")
        #expect(known["failure-direction"] == .passed(3))
        let listed = try await check(
            answering: "<subscription state=\"inactive\"><issues><issue>a.1</issue></issues></subscription>",
            known: .inactive,
            .listed(["a.1"]))
        #expect(listed.broken.isEmpty && listed["failure-direction"] == .passed(3))
        let silent = try await check(
            answering: "<subscription state=\"active\"><issues/></subscription>", known: .active, nil)
        #expect(silent["failure-direction"] == .passed(3))
        let refused = try await check(
            .renewToken, answering: "<error status=\"notrecognised\"/>", renewal: .refused)
        #expect(refused.broken.isEmpty && refused["failure-direction"] == .passed(3))
    }

    @Test(
        "finds an answer that is not the last known one",
        arguments: [
            "<subscription state=\"inactive\"/>", "<subscription state=\"unknown\"><issues/></subscription>",
            "<subscription state=\"active\"><issues/></subscription>",
        ])
    func another(document: String) async throws {
        expect(try await check(answering: document), breaks: "failure-direction")
    }

    @Test("finds an answer where none is known")
    func nothingKnown() async throws {
        let report = try await check(answering: "<subscription state=\"active\"/>", known: nil, nil)
        expect(report, breaks: "failure-direction")
        #expect(report["failure-direction"]?.findings.first?.text.contains("the case says none") == true)
    }

    @Test("Pitfall 9: finds a renewal that is refused", arguments: [nil, CheckReader.Renewal.token])
    func refusedRenewal(renewal: CheckReader.Renewal?) async throws {
        let report = try await check(
            .renewToken, answering: "<error status=\"notrecognised\"/>", renewal: renewal)
        expect(report, breaks: "failure-direction")
        #expect(report["failure-direction"]?.findings.map(\.text) == ["the token is refused"])
    }

    @Test("takes credentials for what they are in an outage, given or not", arguments: ["notentitled", "expired"])
    func refusedCredentials(word: String) async throws {
        let report = try await check(
            .editionCredentials, answering: "<credentials><error status=\"\(word)\"/></credentials>")
        #expect(report.broken.isEmpty && report["failure-direction"] == .passed(3))
    }

    @Test("Pitfall 9: finds credentials that are refused as if the token were bad, unless it is")
    func blamedToken() async throws {
        let document = "<credentials><error status=\"notrecognised\"/></credentials>"
        expect(try await check(.editionCredentials, answering: document), breaks: "failure-direction")
        expect(try await check(.editionCredentials, answering: document, known: nil), breaks: "failure-direction")
        for state in [CheckReader.State.stale, .unknown] {
            let report = try await check(.editionCredentials, answering: document, known: state)
            #expect(report.broken.isEmpty && report["failure-direction"] == .passed(3), "\(state)")
        }
    }

    @Test("judges the form of what is refused in an outage")
    func form() async throws {
        let bare = try await check(.editionCredentials, answering: "<error status=\"notentitled\"/>")
        expect(bare, breaks: "refusal-credentials-place")
        let word = try await check(
            .editionCredentials, answering: "<credentials><error status=\"later\"/></credentials>")
        expect(word, breaks: "refusal-credentials-status")
    }

    /// Checks the stand-in with one reader.
    private func check(_ reader: CheckReader) async throws -> CheckReport {
        try await ConformanceTests.check(
            StandIn(),
            cases: { _ in
                var cases = CheckCases()
                cases.readers = [reader]
                return cases
            })
    }

    @Test("asks for the rest with the token of a reader who can not sign in")
    func everything() async throws {
        var reader = CheckReader("down")
        reader.signIn = [Field("username", "500-500-500"), Field("password", "anything")]
        reader.token = StandIn.token("200-500-500")
        reader.holds = [StandIn.first]
        reader.failing = Set(CheckReader.Failing.allCases)
        let report = try await check(reader)
        #expect(report.broken.isEmpty, "\(report.broken)")
        #expect(report["failure-direction"] == .passed(4))
    }

    @Test("follows a token that is given although nothing can be verified")
    func renewalAlone() async throws {
        var reader = CheckReader("down")
        reader.token = StandIn.token("200-500-500")
        reader.renewal = .token
        reader.failing = [.verification]
        let report = try await check(reader)
        #expect(report.broken.isEmpty, "\(report.broken)")
        #expect(report["failure-direction"] == .passed(2) && report["token-renew"] == .passed(1))
        #expect(report["token-renew-loop"] == .skipped("no token was renewed"))
    }
}
