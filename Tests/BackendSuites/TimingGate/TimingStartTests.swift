import Conformance
import TestSupport
import Testing

/// Runs a minimal measurement, so that an error in `deploy/test --timing` shows before an hour of measurements.
@Suite("Start of the timing gate", .serialized)
struct TimingStartTests {
    @Test("Starts in front of every system over both protocols", arguments: BackendFixtureCase.all)
    func starts(system: BackendFixtureCase) async throws {
        try await FrontedSystem.run(
            system, preparing: { try await TimedServer.secure($1, in: $0) }
        ) { fronted in
            let run = TimingRun(memory: .warm, pairs: 1, numbers: TimingRun.Numbers())
            let root = try #require(Address("https://127.0.0.1:\(fronted.http.port)"))
            #expect(try await run.together(.active, root).pairs == 1)
        }
        try await FrontedSystem.run(system, preparing: { _, text in try TimedServer.extended(text) }) { fronted in
            let run = TimingRun(memory: .warm, pairs: 1, numbers: TimingRun.Numbers())
            let times = try await run.alternating(fronted.http)
            #expect(TimedReader.allCases.allSatisfy { times[$0]?.count == 1 })
        }
    }
}
