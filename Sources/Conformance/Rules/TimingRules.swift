import Foundation

/// What a stopwatch tells (PITFALLS row 6). Hints, not proofs: a network lies between.
enum TimingRules {
    static let all = [enumeration]

    /// How unlikely it must be that chance tells of any reader at all, and how large a difference must be in relation to the answer.
    private static let threshold = 0.001
    private static let smallestShare = 0.1
    /// Below this the standard score is not normal (Mann and Whitney 1947).
    private static let fewest = 20

    static let enumeration = Rule(
        "timing-enumeration", "An unknown reader is refused in the time that a wrong proof takes", source: "PITFALLS 6",
        fix:
            "Hash a made-up password where the reader is unknown, do whatever else is done for a known one, and look at nobody's subscription before the proof is right."
    ) { evidence in
        let timed = evidence.timedRefusals
        let reason = evidence.timingGap ?? timed.lazy.compactMap { gap($0, in: evidence) }.first
        let compared = timed.filter { gap($0, in: evidence) == nil }
        guard !compared.isEmpty else { return .skipped(reason ?? tooFew) }
        let orders = evidence.answerOrders
        let findings = byTurns(compared) + together(compared, orders)
        guard findings.isEmpty else { return .warned(findings) }
        // What was looked at is fine, and not all of what was to be looked at.
        if let reason { return .skipped(reason) }
        return .passed(compared.reduce(0) { $0 + $1.known.count + (orders[$1.reader.name]?.pairs ?? 0) })
    }

    private static let tooFew = "fewer than \(fewest) pairs were timed"

    /// Why a reader's times are not compared; nil where they are.
    private static func gap(_ refusals: TimedRefusals, in evidence: Evidence) -> String? {
        if let difference = evidence.difference(of: refusals.reader) {
            return "\(name(refusals.reader)) is not refused as nobody is (\(difference)), so that no times are compared"
        }
        return min(refusals.known.count, refusals.unknown.count) < fewest ? tooFew : nil
    }

    /// What the times of requests tell that were made by turns.
    private static func byTurns(_ compared: [TimedRefusals]) -> [Finding] {
        let tests = compared.map { RankSumTest($0.known.map(\.seconds), $0.unknown.map(\.seconds)) }
        let areSignificant = Holm.areSignificant(tests.map(\.p), below: threshold)
        return compared.indices.compactMap { index -> Finding? in
            let test = tests[index]
            let (one, other) = test.medians
            guard areSignificant[index], abs(one - other) > smallestShare * min(one, other) else { return nil }
            return Finding(
                "a hint: the medians are \(milliseconds(one)) for \(name(compared[index].reader)) with a wrong proof and "
                    + "\(milliseconds(other)) for nobody, p = \(rounded(test.p)) in \(compared[index].known.count) "
                    + "interleaved pairs (rank-sum test)")
        }
    }

    /// What the order of answers tells to requests that came in one record. No network lies between these, so that any
    /// difference counts.
    private static func together(_ compared: [TimedRefusals], _ orders: [String: AnswerOrder]) -> [Finding] {
        let raced = compared.compactMap { refusals -> (reader: CheckReader, order: AnswerOrder)? in
            guard let order = orders[refusals.reader.name], order.pairs >= fewest else { return nil }
            return (refusals.reader, order)
        }
        let areSignificant = Holm.areSignificant(raced.map { $0.order.p }, below: threshold)
        return zip(raced, areSignificant).compactMap { one, isSignificant -> Finding? in
            guard isSignificant else { return nil }
            return Finding(
                "of \(one.order.pairs) pairs of HTTP/2 streams that came in one record, that of \(name(one.reader)) with a "
                    + "wrong proof was answered before nobody's in \(one.order.ahead), p = \(rounded(one.order.p)) "
                    + "(binomial test)")
        }
    }

    /// With the state that the case says: it is what may have told.
    private static func name(_ reader: CheckReader) -> String {
        Printable.clean(reader.name) + (reader.state.map { " (\($0.rawValue))" } ?? "")
    }

    private static func rounded(_ p: Double) -> String {
        p.formatted(.number.notation(.scientific).precision(.significantDigits(2)))
    }

    private static func milliseconds(_ seconds: Double) -> String {
        "\((seconds * 1000).formatted(.number.precision(.fractionLength(2)))) ms"
    }
}
