import TestSupport
import Testing

@testable import Conformance

@Suite("Multiple comparisons")
struct HolmTests {
    private static let examples: [(values: [Double], expected: [Bool])] = [
        ([], []), ([0.049], [true]), ([0.05], [false]), ([0.04, 0.04], [false, false]), ([0.04, 0.02], [true, true]),
        ([0.01, 0.04, 0.03, 0.005], [true, false, false, true]), ([0.5, 0.016, 0.9], [false, true, false]),
    ]

    @Test("are judged by Holm's procedure", arguments: examples)
    func judged(values: [Double], expected: [Bool]) {
        #expect(Holm.areSignificant(values, below: 0.05) == expected)
    }

    @Test("raise a false alarm no more often than a single one does", arguments: [1, 3, 10])
    func falseAlarms(comparisons: Int) {
        var random = SeededRandom(seed: 16)
        let rounds = 20_000
        let alarms = (0..<rounds).count { _ in
            let values = (0..<comparisons).map { _ in Double.random(in: 0..<1, using: &random) }
            return Holm.areSignificant(values, below: 0.05).contains(true)
        }
        // If each were compared with the threshold itself, ten would raise one in forty of a hundred rounds.
        #expect((0.04...0.055).contains(Double(alarms) / Double(rounds)), "\(alarms)")
    }
}
