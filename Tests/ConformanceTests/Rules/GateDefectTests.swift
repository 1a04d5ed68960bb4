import Foundation
import Testing

@testable import Conformance

@Suite("Gate with one hole")
struct GateDefectTests {
    /// Tests the gate only, with a reader of two editions, as a full check does.
    private func evidence(_ fake: FakePublisherServer) async throws -> Evidence {
        try await fake.serve { port in
            let root = try #require(Address("http://127.0.0.1:\(port)/test"))
            var cases = fakeServerCases(port)
            cases.readers = cases.readers.filter { $0.name == "activeall" }
            let checkRun = CheckRun(endpoint: Endpoint(root: root), cases: cases)
            let prober = Prober(ProbeTransport(), requestsPerSecond: .infinity)
            var evidence = Evidence(endpoint: checkRun.endpoint, cases: cases, options: checkRun.options, date: Date())
            for reader in cases.readers { try await checkRun.send(for: reader, prober, &evidence) }
            evidence.gateSkipReason = try await checkRun.checkGate(prober)
            evidence.exchanges = await prober.exchanges
            return evidence
        }
    }

    @Test("is found by exactly the attempt designed for it", arguments: ServerDefect.holes)
    func hole(serverDefect: ServerDefect) async throws {
        let report = CheckReport(try await evidence(FakePublisherServer(serverDefect.change)), seconds: 0)
        expect(report, breaks: serverDefect.rule)
        #expect(Set(report[serverDefect.rule]?.findings.map(\.text) ?? []) == [serverDefect.title])
    }

    @Test("exists for every attempt of the check, and has an attempt")
    func complete() async throws {
        let evidence = try await evidence(FakePublisherServer())
        let report = CheckReport(evidence, seconds: 0)
        #expect(report.broken.isEmpty, "\(report.broken)")
        let tried = evidence.gate.compactMap { exchange -> String? in
            guard case .gate(let attempt) = exchange.probe.purpose else { return nil }
            switch attempt {
            case .wrongPair(let title), .pathConfusion(let title), .privileged(let title):
                return ServerDefect.opening(by: title)
            default: return nil
            }
        }
        let rules = ["gate-wrong-password", "gate-paths", "gate-privileges"]
        let known = Set(ServerDefect.holes.filter { rules.contains($0.rule) }.map(\.title))
        #expect(Set(tried) == known && tried.count == known.count, "\(tried)")
    }
}
