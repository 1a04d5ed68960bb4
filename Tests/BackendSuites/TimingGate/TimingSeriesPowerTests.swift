import Foundation
import TestSupport
import Testing

/// How often the gate is wrong, by series of runs that are drawn: those of a sound system, and those of one that leaks.
///
/// Both tests of the gate have, with so many pairs, a result that is very nearly normal: around nought where nothing leaks, else
/// around a value that grows with the root of the pairs. All runs of a series together are their sum.
@Suite("How often a series of timing runs is wrong")
struct TimingSeriesPowerTests {
    /// Of a run of the gate: twelve systems, two memories, two protocols, three kinds of reader.
    private static let ofGate = 144.0
    private static let pairs = 500.0

    /// The share of series that are not sound.
    ///
    /// - Parameter leak: where the results of a run lie, in standard deviations.
    private func refused(of series: Int, leak: Double) -> Double {
        var random = Normal(seed: 6)
        var refused = 0
        for _ in 0..<series {
            var one = TimingSeries()
            var (sum, runs) = (0.0, 0.0)
            while !one.isOver {
                let result = leak + random.next()
                sum += result
                runs += 1
                one.add(Self.p(result), pooled: Self.p(sum / runs.squareRoot()))
            }
            if !one.isSound { refused += 1 }
        }
        return Double(refused) / Double(series)
    }

    /// Of so high a result to either side.
    private static func p(_ result: Double) -> Double { erfc(abs(result) / 2.0.squareRoot()) }

    @Test("refuses a sound system in one run of the gate of fifty")
    func falseAlarms() {
        let ofOne = refused(of: 150_000, leak: 0)
        let ofAll = 1 - pow(1 - ofOne, Self.ofGate)
        #expect((0.008...0.028).contains(ofAll), "\(ofAll)")
    }

    /// In what share of pairs the known reader's answer comes first, or takes longer than the unknown one's; half means no leak.
    @Test("finds a leak", arguments: [(0.53, 0.1...0.5), (0.55, 0.7...0.96), (0.56, 0.89...1), (0.58, 0.99...1)])
    func power(share: Double, found: ClosedRange<Double>) {
        // The binomial test's standard deviation, and Mann and Whitney's.
        for leak in [(2 * share - 1) * Self.pairs.squareRoot(), (share - 0.5) * (6 * Self.pairs).squareRoot()] {
            let power = refused(of: 4_000, leak: leak)
            #expect(found.contains(power), "\(share): \(power)")
        }
    }

    /// Normally distributed numbers (Box and Muller).
    private struct Normal {
        private var random: SeededRandom
        private var other: Double?

        init(seed: UInt64) { random = SeededRandom(seed: seed) }

        mutating func next() -> Double {
            if let left = other {
                other = nil
                return left
            }
            let length = (-2 * log(1 - Double.random(in: 0..<1, using: &random))).squareRoot()
            let angle = 2 * Double.pi * Double.random(in: 0..<1, using: &random)
            other = length * sin(angle)
            return length * cos(angle)
        }
    }
}
