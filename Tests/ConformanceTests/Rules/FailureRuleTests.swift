import TestSupport
import Testing

@testable import Conformance

@Suite("Rule about failures of the subscriber backend")
struct FailureRuleTests {
    /// Checks a server that returns the document in a call for a reader whose backend is down.
    ///
    /// - Parameters:
    /// - state: The reader's known state according to the case.
    /// - renewal: The renewal expected by the case.
    private func check(
        _ call: Call = .verifySubscription, responding document: String, known state: CheckReader.State? = .active,
        _ issues: CheckReader.Issues? = .everything, renewal: CheckReader.Renewal? = nil
    ) async throws -> CheckReport {
        try await ConformanceTests.check(
            FakePublisherServer { request, response in
                if request.call == call.rawValue, request.method == "GET", request.user == "200-500-500" {
                    response = FakePublisherServer().document(document)
                }
            },
            cases: { port in
                var cases = fakeServerCases(port)
                cases.readers = cases.readers.filter { $0.name == "200-500-500" }
                cases.readers[0].state = state
                cases.readers[0].issues = issues
                cases.readers[0].renewal = renewal
                cases.content = nil
                return cases
            })
    }

    @Test("Pitfall 9: accepts failing wrong and malformed sign-ins if the sign-ins of all readers fail")
    func allUnreachable() async throws {
        let report = try await ConformanceTests.check(
            FakePublisherServer { request, response in
                guard request.isSignIn else { return }
                let isHead = response.isHead
                response = .text(503, "Temporarily unavailable")
                response.set("Retry-After", "30")
                response.isHead = isHead
            },
            cases: { port in
                var cases = fakeServerCases(port)
                cases.readers = cases.readers.filter { $0.failing.contains(.signIn) }
                return cases
            })
        #expect(report.broken.isEmpty, "\(report.broken)")
        #expect(report["refusal-sign-in"] == .skipped("no sign-in was refused"))
        #expect(report["failure-direction"] == .passed(1))
    }

    @Test("Pitfall 9: accepts the last known result")
    func lastKnown() async throws {
        let known = try await check(responding: "<subscription state=\"active\"/>")
        #expect(known["failure-direction"] == .passed(3))
        let listed = try await check(
            responding: "<subscription state=\"inactive\"><issues><issue>a.1</issue></issues></subscription>",
            known: .inactive,
            .listed(["a.1"]))
        #expect(listed.broken.isEmpty && listed["failure-direction"] == .passed(3))
        let silent = try await check(
            responding: "<subscription state=\"active\"><issues/></subscription>", known: .active, nil)
        #expect(silent["failure-direction"] == .passed(3))
        let rejected = try await check(
            .renewToken, responding: "<error status=\"notrecognised\"/>", renewal: .rejected)
        #expect(rejected.broken.isEmpty && rejected["failure-direction"] == .passed(3))
    }

    @Test(
        "finds a result that differs from the last known one",
        arguments: [
            "<subscription state=\"inactive\"/>", "<subscription state=\"unknown\"><issues/></subscription>",
            "<subscription state=\"active\"><issues/></subscription>",
        ])
    func another(document: String) async throws {
        expect(try await check(responding: document), breaks: "failure-direction")
    }

    @Test("finds a result although none is known")
    func nothingKnown() async throws {
        let report = try await check(responding: "<subscription state=\"active\"/>", known: nil, nil)
        expect(report, breaks: "failure-direction")
        #expect(report["failure-direction"]?.findings.first?.text.contains("the case has no last known state") == true)
    }

    @Test("Pitfall 9: finds a rejected renewal", arguments: [nil, CheckReader.Renewal.token])
    func rejectedRenewal(renewal: CheckReader.Renewal?) async throws {
        let report = try await check(
            .renewToken, responding: "<error status=\"notrecognised\"/>", renewal: renewal)
        expect(report, breaks: "failure-direction")
        #expect(report["failure-direction"]?.findings.map(\.text) == ["the token is refused"])
    }

    @Test("accepts both granted and denied credentials in an outage", arguments: ["notentitled", "expired"])
    func rejectedCredentials(kind: String) async throws {
        let report = try await check(
            .editionCredentials, responding: "<credentials><error status=\"\(kind)\"/></credentials>")
        #expect(report.broken.isEmpty && report["failure-direction"] == .passed(3))
    }

    @Test("Pitfall 9: finds credentials that blame a valid token")
    func blamedToken() async throws {
        let document = "<credentials><error status=\"notrecognised\"/></credentials>"
        expect(try await check(.editionCredentials, responding: document), breaks: "failure-direction")
        expect(try await check(.editionCredentials, responding: document, known: nil), breaks: "failure-direction")
        for state in [CheckReader.State.stale, .unknown] {
            let report = try await check(.editionCredentials, responding: document, known: state)
            #expect(report.broken.isEmpty && report["failure-direction"] == .passed(3), "\(state)")
        }
    }

    @Test("checks the format of errors during an outage")
    func form() async throws {
        let bare = try await check(.editionCredentials, responding: "<error status=\"notentitled\"/>")
        expect(bare, breaks: "refusal-credentials-place")
        let kind = try await check(
            .editionCredentials, responding: "<credentials><error status=\"later\"/></credentials>")
        expect(kind, breaks: "refusal-credentials-status")
    }

    /// Checks the fake server with one reader.
    private func check(_ reader: CheckReader) async throws -> CheckReport {
        try await ConformanceTests.check(
            FakePublisherServer(),
            cases: { _ in
                var cases = CheckCases()
                cases.readers = [reader]
                return cases
            })
    }

    @Test("uses the case's token for the other calls if the reader cannot sign in")
    func everything() async throws {
        var reader = CheckReader("down")
        reader.signIn = [Field("username", "500-500-500"), Field("password", "anything")]
        reader.token = FakePublisherServer.token("200-500-500")
        reader.holds = [FakePublisherServer.first]
        reader.failing = Set(CheckReader.FailingCall.allCases)
        let report = try await check(reader)
        #expect(report.broken.isEmpty, "\(report.broken)")
        #expect(report["failure-direction"] == .passed(4))
    }

    @Test("follows a renewed token although verification fails")
    func renewalAlone() async throws {
        var reader = CheckReader("down")
        reader.token = FakePublisherServer.token("200-500-500")
        reader.renewal = .token
        reader.failing = [.verification]
        let report = try await check(reader)
        #expect(report.broken.isEmpty, "\(report.broken)")
        #expect(report["failure-direction"] == .passed(2) && report["token-renew"] == .passed(1))
        #expect(report["token-renew-loop"] == .skipped("no token was renewed"))
    }
}
