import Conformance
import TestSupport
import Testing

/// The gate's own measuring, with the whole program in front of a system that leaks.
@Suite("A run of the timing gate, in front of a system that takes longer to refuse blocked readers", .serialized)
struct TimingRunTests {
    private static let leaky = BenchCase(bench: LeakyBench.self)
    /// What leaks is large, and what does not is not to fail by chance.
    private static let certain = 0.000_01

    private var run: TimingRun { TimingRun(memory: .cold, pairs: 60, numbers: TimingRun.Numbers()) }

    @Test("Pitfall 6: tells these from unknown readers over HTTP/1, and no others")
    func byTurns() async throws {
        try await FrontedSystem.run(Self.leaky, preparing: { _, text in try TimedServer.patient(text) }) {
            let times = try await run.byTurns($0.http)
            for reader in TimedReader.known {
                let compared = RankSumTest(times[reader] ?? [], times[.unknown] ?? [])
                #expect(times[reader]?.count == 60 && (compared.p < Self.certain) == (reader == .blocked), "\(reader)")
            }
        }
    }

    @Test("Pitfall 6: tells these from unknown readers over HTTP/2, and no others")
    func together() async throws {
        try await FrontedSystem.run(
            Self.leaky, preparing: { try await TimedServer.secure($1, in: $0) }
        ) { fronted in
            let root = try #require(Address("https://127.0.0.1:\(fronted.http.port)"))
            for reader in TimedReader.known {
                let order = try await run.together(reader, root)
                #expect(order.pairs == 60 && (order.p < Self.certain) == (reader == .blocked), "\(reader): \(order)")
                if reader == .blocked { #expect(order.share < 0.5) }
            }
        }
    }
}
