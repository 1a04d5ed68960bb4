import Foundation

/// The rule about response times. Its findings are hints and not proofs, because a network may distort the times.
///
/// Source: Pitfall 6, “User enumeration”.
enum TimingRules {
    static let all = [enumeration]

    /// The maximum probability that chance alone explains a difference for any reader. The next value is the
    /// minimum difference in relation to the response time.
    private static let threshold = 0.001
    private static let minShare = 0.1
    /// The minimum number of pairs. The standard score of fewer pairs is not normal (Mann and Whitney 1947).
    private static let minPairs = 20

    static let enumeration = Rule(
        "timing-enumeration", "An unknown reader is refused in the same time as a wrong proof", source: "Pitfall 6",
        fix:
            "Hash a dummy password for an unknown reader, do the same other work as for a known reader, and query no "
            + "subscription before the proof is verified."
    ) { evidence in
        let timed = evidence.timedRejections
        let reason = evidence.timingSkipReason ?? timed.lazy.compactMap { gap($0, in: evidence) }.first
        let compared = timed.filter { gap($0, in: evidence) == nil }
        guard !compared.isEmpty else { return .skipped(reason ?? tooFew) }
        let orders = evidence.responseOrders
        let findings = alternating(compared) + together(compared, orders)
        guard findings.isEmpty else { return .warned(findings) }
        // The comparisons that were made passed, but some were not made.
        if let reason { return .skipped(reason) }
        return .passed(compared.reduce(0) { $0 + $1.known.count + (orders[$1.reader.name]?.pairs ?? 0) })
    }

    private static let tooFew = "fewer than \(minPairs) pairs were timed"

    /// Returns the reason why a reader's times are not compared, or nil if they are.
    private static func gap(_ rejections: TimedRejections, in evidence: Evidence) -> String? {
        if let difference = evidence.difference(of: rejections.reader) {
            return
                "the refusal of \(name(rejections.reader)) differs from that of an unknown reader (\(difference)), so "
                + "no times are compared"
        }
        return min(rejections.known.count, rejections.unknown.count) < minPairs ? tooFew : nil
    }

    /// Returns the findings from the times of requests that were sent alternately.
    private static func alternating(_ compared: [TimedRejections]) -> [Finding] {
        let tests = compared.map { RankSumTest($0.known.map(\.seconds), $0.unknown.map(\.seconds)) }
        let areSignificant = Holm.areSignificant(tests.map(\.p), below: threshold)
        return compared.indices.compactMap { index -> Finding? in
            let test = tests[index]
            let (one, other) = test.medians
            guard areSignificant[index], abs(one - other) > minShare * min(one, other) else { return nil }
            return Finding(
                "possible difference: the median time is \(milliseconds(one)) for \(name(compared[index].reader)) "
                    + "with a wrong proof and \(milliseconds(other)) for an unknown reader, "
                    + "p = \(rounded(test.p)) in \(compared[index].known.count) interleaved pairs (rank-sum test)")
        }
    }

    /// Returns the findings from the order of responses to requests in one TLS record. The network affects both
    /// alike, so any difference counts.
    private static func together(_ compared: [TimedRejections], _ orders: [String: ResponseOrder]) -> [Finding] {
        let raced = compared.compactMap { rejections -> (reader: CheckReader, order: ResponseOrder)? in
            guard let order = orders[rejections.reader.name], order.pairs >= minPairs else { return nil }
            return (rejections.reader, order)
        }
        let areSignificant = Holm.areSignificant(raced.map { $0.order.p }, below: threshold)
        return zip(raced, areSignificant).compactMap { one, isSignificant -> Finding? in
            guard isSignificant else { return nil }
            return Finding(
                "possible difference: in \(one.order.ahead) of \(one.order.pairs) pairs of HTTP/2 streams in one "
                    + "record, the response to \(name(one.reader)) with a wrong proof came before the response "
                    + "to an unknown reader, p = \(rounded(one.order.p)) (binomial test)")
        }
    }

    /// Returns the reader's name with the state of the case, because the state may have caused the difference.
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
