import Foundation
import TestSupport
import Testing

/// Three nodes in one process on a simulated network, disk, clock and PostgreSQL server, driven by a seed.
///
/// See ``NodeProcess`` for what is the product's code, ``SimulatedServer`` for the model of the server, and ``Checks`` for
/// the invariants.
@Suite("Nodes in a simulated world", .serialized) struct SimulationTests {
    @Test("No seed violates an invariant", .timeLimit(.minutes(30)))
    func seeds() async throws {
        let selection = try Self.selection(ProcessInfo.processInfo.environment)
        let found = try await SimulationRunner.run(selection.first..<selection.first + UInt64(selection.count))
        if let failing = found.failing {
            let shortened = try await SimulationRunner.shortened(failing.plan)
            Issue.record("seed \(failing.plan.seed): \(failing.violation)\n\(shortened)")
            return
        }
        #expect(found.runs == selection.count)
        // Each of these happens, or the invariants would hold without a test.
        for (outcome, perThousand) in Self.minimum where selection.count >= 100 {
            let count = found.tally[outcome, default: 0]
            #expect(count >= perThousand * selection.count / 1_000, "\(outcome): \(count)")
        }
        if ProcessInfo.processInfo.environment["GATEFOLD_SIMULATION_TALLY"] != nil {
            print(found.tally.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: "\n"))
        }
    }

    /// The minimum counts of outcomes in a thousand runs.
    private static let minimum = [
        "accepted": 30_000, "rejected": 1_000, "suspended": 200, "signed in": 5_000, "signed out": 1_000,
        "too many devices": 500, "wrong passwords": 500, "throttled": 500, "claims": 500, "delivered": 200,
        "journaled": 10, "replayed": 10, "crashes": 100, "failovers": 50, "facts applied": 100,
    ]

    @Test("A seed gives the same run again")
    func repetition() async throws {
        let runs = try await SimulationRunner.onThread {
            let image = try DatabaseImage()
            return (1...5).map { seed in
                (0..<2).map { _ in World.run(Plan(seed: seed), image: image).fingerprint }
            }
        }
        for run in runs { #expect(run[0] == run[1]) }
    }

    private static func selection(_ environment: [String: String]) throws -> SeedSelection {
        try SeedSelection(
            environment, count: "GATEFOLD_SIMULATIONS", first: "GATEFOLD_SIMULATION", default: 1_000)
    }

    @Test("Runs 1,000 seeds by default")
    func selection() throws {
        #expect(try Self.selection([:]).count == 1_000)
        let selection = try Self.selection(["GATEFOLD_SIMULATIONS": "3", "GATEFOLD_SIMULATION": "77"])
        #expect(selection.count == 3 && selection.first == 77)
    }
}
