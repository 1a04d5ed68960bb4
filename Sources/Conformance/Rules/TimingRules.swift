import Foundation

/// What a stopwatch tells (PITFALLS row 6). Hints, not proofs: a network lies between.
enum TimingRules {
    static let all = [enumeration]

    /// How unlikely a difference must be by chance, and how large in relation to the answer, to be told.
    private static let threshold = 0.001
    private static let smallestShare = 0.1
    /// Below this the standard score is not normal (Mann and Whitney 1947).
    private static let fewest = 20

    static let enumeration = Rule(
        "timing-enumeration", "An unknown reader is refused in the time that a wrong proof takes", source: "PITFALLS 6",
        fix: "Hash a made-up password where the reader is unknown, and do whatever else is done for a known one."
    ) { evidence in
        let known = evidence.exchanges(.timed(isKnown: true)).filter { $0.answer != nil }.map(\.seconds)
        let unknown = evidence.exchanges(.timed(isKnown: false)).filter { $0.answer != nil }.map(\.seconds)
        guard min(known.count, unknown.count) >= fewest else {
            return .skipped("fewer than \(fewest) pairs were timed (--timing)")
        }
        let test = RankSumTest(known, unknown)
        let (one, other) = test.medians
        guard test.p < threshold, abs(one - other) > smallestShare * min(one, other) else {
            return .passed(known.count)
        }
        return .warned([
            Finding(
                "a hint: the medians are \(milliseconds(one)) for a known and \(milliseconds(other)) for an unknown reader, "
                    + "p = \(test.p.formatted(.number.notation(.scientific).precision(.significantDigits(2)))) in \(known.count) interleaved pairs (rank-sum test)"
            )
        ])
    }

    private static func milliseconds(_ seconds: Double) -> String {
        "\((seconds * 1000).formatted(.number.precision(.fractionLength(2)))) ms"
    }
}
