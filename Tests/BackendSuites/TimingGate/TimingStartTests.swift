import Conformance
import TestSupport
import Testing

/// Measures next to nothing: that `deploy/test --timing` can be done to its end is seen before somebody has waited an hour for it.
@Suite("The timing gate starts", .serialized)
struct TimingStartTests {
    @Test("in front of every subscriber system, over both protocols", arguments: BenchCase.all)
    func starts(system: BenchCase) async throws {
        try await FrontedSystem.run(
            system, preparing: { try await TimedServer.secure($1, in: $0) }
        ) { fronted in
            let run = TimingRun(memory: .warm, pairs: 1, numbers: TimingRun.Numbers())
            let root = try #require(Address("https://127.0.0.1:\(fronted.http.port)"))
            #expect(try await run.together(.active, root).pairs == 1)
        }
        try await FrontedSystem.run(system, preparing: { _, text in try TimedServer.patient(text) }) { fronted in
            let run = TimingRun(memory: .warm, pairs: 1, numbers: TimingRun.Numbers())
            let times = try await run.byTurns(fronted.http)
            #expect(TimedReader.allCases.allSatisfy { times[$0]?.count == 1 })
        }
    }
}
