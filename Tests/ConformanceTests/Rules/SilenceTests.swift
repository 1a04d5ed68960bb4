import TestSupport
import Testing

@testable import Conformance

@Suite("A server that falls silent")
struct SilenceTests {
    /// In seconds: longer than a busy machine takes for an answer.
    private static let patience: Int64 = 15

    @Test("is asked no more, and judged by what it answered until then")
    func malformed() async throws {
        let report = try await check(
            StandIn { request, answer in
                if request.holds("%zz") || request.holds("a\u{0}b") { answer.isSilence = true }
            }, options: { $0.patience = Self.patience })
        #expect(Set(report.broken.keys) == ["malformed-escapes", "malformed-nul"], "\(report.broken)")
        #expect(report["malformed-escapes"]?.findings.first?.text == "no answer in time")
        #expect(report["credentials-held"]?.word == .passed && report["refusal-uniform"] == .passed(1))
        let why = try #require(report.silence)
        #expect(why.hasSuffix("no answer in time, 5 times in a row; no more was asked"))
        for rule in ["malformed-length", "malformed-echo", "gate-opens", "shared-cache", "timing-enumeration"] {
            #expect(report[rule] == .skipped(why), "\(rule)")
        }
        #expect(report.table().contains(why) && report.html.contains(why))
    }

    @Test("is one, too, that begins each answer and ends none")
    func trickle() async throws {
        let report = try await check(
            StandIn { request, answer in
                if request.holds("%zz") || request.holds("a\u{0}b") { answer.length = answer.body.count + 1 }
                answer.isKeptOpen = request.holds("%zz") || request.holds("a\u{0}b")
            }, options: { $0.patience = 5 })
        let why = try #require(report.silence, "\(report.broken)")
        #expect(why.hasSuffix("5 times in a row; no more was asked"))
        #expect(report["malformed-length"] == .skipped(why))
    }

    @Test("now and then is, when that has taken minutes together")
    func slow() async throws {
        try await StandIn { request, answer in answer.isSilence = request["token"] == "silent" }.serve { port in
            let endpoint = Endpoint(root: try #require(Address("http://127.0.0.1:\(port)/test")))
            var transport = ProbeTransport()
            transport.patience = 2
            let prober = Prober(transport, requestsPerSecond: .infinity, mostWaited: 3)
            let failure = await #expect(throws: Checkup.CouldNotCheck.self) {
                for _ in 0..<10 {
                    for token in ["silent", "quick"] {
                        try await prober.ask(
                            Probe(.forgedToken, .verifySubscription, [Field("token", token)], at: endpoint))
                    }
                }
            }
            #expect(failure?.isSilence == true && failure?.description.hasSuffix("longer than usual together") == true)
            #expect(await prober.exchanges.count < 20)
        }
    }

    @Test("with the first question is not checked at all")
    func fromTheStart() async throws {
        await #expect(throws: Checkup.CouldNotCheck.self) {
            try await check(StandIn { _, answer in answer.isSilence = true }, options: { $0.patience = Self.patience })
        }
    }
}
