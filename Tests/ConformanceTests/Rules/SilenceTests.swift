import TestSupport
import Testing

@testable import Conformance

@Suite("Server that stops responding")
struct SilenceTests {
    /// The timeout in seconds: longer than a busy machine takes for a response.
    private static let timeout: Int64 = 15

    @Test("gets no further requests and is judged by its previous responses")
    func malformed() async throws {
        let report = try await check(
            FakePublisherServer { request, response in
                if request.holds("%zz") || request.holds("a\u{0}b") { response.isSilence = true }
            }, options: { $0.timeout = Self.timeout })
        #expect(Set(report.broken.keys) == ["malformed-escapes", "malformed-nul"], "\(report.broken)")
        #expect(report["malformed-escapes"]?.findings.first?.text == "no response within the time limit")
        #expect(report["credentials-held"]?.kind == .passed && report["refusal-uniform"] == .passed(1))
        let why = try #require(report.abortReason)
        #expect(why.hasSuffix("no response within the time limit, 5 times in a row; no further requests were sent"))
        for rule in ["malformed-length", "malformed-echo", "gate-opens", "shared-cache", "timing-enumeration"] {
            #expect(report[rule] == .skipped(why), "\(rule)")
        }
        #expect(report.table().contains(why) && report.html.contains(why))
    }

    @Test("also counts as silent if it begins each response and completes none")
    func trickle() async throws {
        let report = try await check(
            FakePublisherServer { request, response in
                if request.holds("%zz") || request.holds("a\u{0}b") { response.length = response.body.count + 1 }
                response.isKeepAlive = request.holds("%zz") || request.holds("a\u{0}b")
            }, options: { $0.timeout = 5 })
        let why = try #require(report.abortReason, "\(report.broken)")
        #expect(why.hasSuffix("5 times in a row; no further requests were sent"))
        #expect(report["malformed-length"] == .skipped(why))
    }

    @Test("also counts as silent if its occasional timeouts add up to minutes")
    func slow() async throws {
        try await FakePublisherServer { request, response in response.isSilence = request["token"] == "silent" }.serve {
            port in
            let endpoint = Endpoint(root: try #require(Address("http://127.0.0.1:\(port)/test")))
            var transport = ProbeTransport()
            transport.timeout = 2
            let prober = Prober(transport, requestsPerSecond: .infinity, maxWait: 3)
            let failure = await #expect(throws: CheckRun.CheckFailure.self) {
                for _ in 0..<10 {
                    for token in ["silent", "quick"] {
                        try await prober.send(
                            Probe(.forgedToken, .verifySubscription, [Field("token", token)], at: endpoint))
                    }
                }
            }
            #expect(
                failure?.hasStoppedResponding == true
                    && failure?.description.hasSuffix("longer than usual in total") == true)
            #expect(await prober.exchanges.count < 20)
        }
    }

    @Test("from the first request on is not checked at all")
    func fromTheStart() async throws {
        await #expect(throws: CheckRun.CheckFailure.self) {
            try await check(
                FakePublisherServer { _, response in response.isSilence = true }, options: { $0.timeout = Self.timeout }
            )
        }
    }
}
