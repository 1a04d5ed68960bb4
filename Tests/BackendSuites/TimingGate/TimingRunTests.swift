import Conformance
import TestSupport
import Testing

/// The measurement of the gate itself, with the whole program in front of a leaky system.
@Suite("Timing run in front of a leaky system", .serialized)
struct TimingRunTests {
    private static let leaky = BackendFixtureCase(fixture: LeakyFixture.self)
    /// The leak is large, and the other comparisons must not fail by chance.
    private static let certain = 0.000_01

    private var run: TimingRun { TimingRun(memory: .cold, pairs: 60, numbers: TimingRun.Numbers()) }

    @Test("Pitfall 6: over HTTP/1, only blocked readers differ from unknown ones")
    func alternating() async throws {
        try await FrontedSystem.run(Self.leaky, preparing: { _, text in try TimedServer.extended(text) }) {
            let times = try await run.alternating($0.http)
            for reader in TimedReader.known {
                let compared = RankSumTest(times[reader] ?? [], times[.unknown] ?? [])
                #expect(times[reader]?.count == 60 && (compared.p < Self.certain) == (reader == .blocked), "\(reader)")
            }
        }
    }

    @Test("Pitfall 6: over HTTP/2, only blocked readers differ from unknown ones")
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
