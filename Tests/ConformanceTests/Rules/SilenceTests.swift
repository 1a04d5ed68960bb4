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

    @Test("with the first question is not checked at all")
    func fromTheStart() async throws {
        await #expect(throws: Checkup.CouldNotCheck.self) {
            try await check(StandIn { _, answer in answer.isSilence = true }, options: { $0.patience = Self.patience })
        }
    }
}
