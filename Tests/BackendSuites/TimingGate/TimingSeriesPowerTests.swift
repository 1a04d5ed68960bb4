import Foundation
import TestSupport
import Testing

/// Error rates of the gate, with simulated runs of a sound system and of a leaky one.
///
/// With so many pairs, both tests of the gate have a nearly normal result: around zero without a leak, otherwise
/// around a value that grows with the square root of the pairs. All runs of a series together are their sum.
@Suite("Error rates of a timing series")
struct TimingSeriesPowerTests {
    /// The comparisons in a run of the gate: twelve systems, two caches, two protocols, three kinds of reader.
    private static let ofGate = 144.0
    private static let pairs = 500.0

    /// Returns the share of series that are not sound.
    ///
    /// - Parameter leak: the mean of the results of a run, in standard deviations.
    private func rejected(of series: Int, leak: Double) -> Double {
        var random = Normal(seed: 6)
        var rejected = 0
        for _ in 0..<series {
            var one = TimingSeries()
            var (sum, runs) = (0.0, 0.0)
            while !one.isOver {
                let result = leak + random.next()
                sum += result
                runs += 1
                one.add(Self.p(result), pooled: Self.p(sum / runs.squareRoot()))
            }
            if !one.isSound { rejected += 1 }
        }
        return Double(rejected) / Double(series)
    }

    /// Returns the two-sided p of a result.
    private static func p(_ result: Double) -> Double { erfc(abs(result) / 2.0.squareRoot()) }

    @Test("A sound system fails in about one run of the gate out of fifty")
    func falseAlarms() {
        let ofOne = rejected(of: 150_000, leak: 0)
        let ofAll = 1 - pow(1 - ofOne, Self.ofGate)
        #expect((0.008...0.028).contains(ofAll), "\(ofAll)")
    }

    /// The argument is the share of pairs in which the known reader's response comes first, or takes longer than the
    /// unknown one's; half means no leak.
    @Test("Detects leaks", arguments: [(0.53, 0.1...0.5), (0.55, 0.7...0.96), (0.56, 0.89...1), (0.58, 0.99...1)])
    func power(share: Double, found: ClosedRange<Double>) {
        // The standard deviations of the binomial test and of the Mann-Whitney test.
        for leak in [(2 * share - 1) * Self.pairs.squareRoot(), (share - 0.5) * (6 * Self.pairs).squareRoot()] {
            let power = rejected(of: 4_000, leak: leak)
            #expect(found.contains(power), "\(share): \(power)")
        }
    }

    /// Normally distributed numbers (Box-Muller transform).
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
