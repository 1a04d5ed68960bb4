import Foundation
import Testing

@testable import Conformance

@Suite("A gate with one hole")
struct GateHoleTests {
    /// Tries the gate with a reader of two editions, as a whole check does, and asks for nothing else.
    private func evidence(_ standIn: StandIn) async throws -> Evidence {
        try await standIn.serve { port in
            let root = try #require(Address("http://127.0.0.1:\(port)/test"))
            var cases = standInCases(port)
            cases.readers = cases.readers.filter { $0.name == "activeall" }
            let checkup = Checkup(endpoint: Endpoint(root: root), cases: cases)
            let prober = Prober(ProbeTransport(), requestsPerSecond: .infinity)
            var evidence = Evidence(endpoint: checkup.endpoint, cases: cases, options: checkup.options, date: Date())
            for reader in cases.readers { try await checkup.ask(for: reader, prober, &evidence) }
            evidence.gateGap = try await checkup.askGate(prober)
            evidence.exchanges = await prober.exchanges
            return evidence
        }
    }

    @Test("is found by the one try that is made for it", arguments: Breakage.holes)
    func hole(breakage: Breakage) async throws {
        let report = CheckReport(try await evidence(StandIn(breakage.change)), seconds: 0)
        expect(report, breaks: breakage.rule)
        #expect(Set(report[breakage.rule]?.findings.map(\.text) ?? []) == [breakage.title])
    }

    @Test("is known for every try, and tried for where it is known")
    func complete() async throws {
        let evidence = try await evidence(StandIn())
        let report = CheckReport(evidence, seconds: 0)
        #expect(report.broken.isEmpty, "\(report.broken)")
        let tried = evidence.gate.compactMap { exchange -> String? in
            guard case .gate(let attempt) = exchange.probe.situation else { return nil }
            switch attempt {
            case .wrongPair(let title), .pathTrick(let title), .privileged(let title):
                return Breakage.opening(by: title)
            default: return nil
            }
        }
        let rules = ["gate-wrong-password", "gate-paths", "gate-privileges"]
        let known = Set(Breakage.holes.filter { rules.contains($0.rule) }.map(\.title))
        #expect(Set(tried) == known && tried.count == known.count, "\(tried)")
    }
}
