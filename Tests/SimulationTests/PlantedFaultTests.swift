import Foundation
import Testing

/// Proof that the simulation finds defects: with each planted fault it fails, and with the same seed it passes without.
@Suite("Planted faults", .serialized) struct PlantedFaultTests {
    @Test("Finds each planted fault within 1,000 seeds", arguments: PlantedFault.allCases)
    func planted(fault: PlantedFault) async throws {
        let found = try await SimulationRunner.run(1..<1_001, fault: fault)
        let failing = try #require(found.failing, "\(fault.rawValue) was not found in \(found.runs) runs")
        #expect(failing.violation.contains(fault.violation))
        #expect(try await SimulationRunner.violation(of: failing.plan) == nil)
        if ProcessInfo.processInfo.environment["GATEFOLD_SIMULATION_TALLY"] != nil {
            let text = try await SimulationRunner.shortened(failing.plan, fault: fault)
            print("\(fault.rawValue): seed \(failing.plan.seed), \(found.runs) runs\n\(text)")
        }
    }
}
