import BackendBenches
import Foundation

/// What `deploy/test --timing` asks for.
enum TimingGate {
    private static let environment = ProcessInfo.processInfo.environment

    /// Nil unless times are asked for: a run of all systems takes more than an hour.
    static let asked = environment["GATEFOLD_TIMING"]

    /// How often each reader is asked for in a run (PITFALLS row 6: 500).
    static let pairs = environment["GATEFOLD_TIMING_PAIRS"].map { Int($0) ?? 0 } ?? 500

    /// Fewer tell nothing: a leak would have to be as large as a readable difference.
    static let fewest = 100

    /// What is asked for and can not be measured.
    enum Unmeasurable: Error, Equatable, CustomStringConvertible {
        case systems([String])
        case pairs(Int)

        var description: String {
            switch self {
            case .systems(let names):
                "no subscriber system is called \(names.joined(separator: ", ")); there are "
                    + BenchCase.all.map { $0.bench.name }.joined(separator: ", ")
            case .pairs(let pairs): "GATEFOLD_TIMING_PAIRS must be a number from \(fewest), not \(pairs)"
            }
        }
    }

    /// Without systems, or with no pairs, there would be nothing that fails.
    static func check(_ asked: String, pairs: Int) throws(Unmeasurable) {
        let names = asked.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let strange = names.filter { name in name != "all" && !BenchCase.all.contains { $0.bench.name == name } }
        guard strange.isEmpty else { throw .systems(strange) }
        // It is no name among others.
        guard names.count == 1 || !names.contains("all") else { throw .systems(["all"]) }
        guard pairs >= fewest else { throw .pairs(pairs) }
    }

    /// The systems whose name was given, or all.
    static let systems = BenchCase.all.filter { system in
        guard let asked, asked != "all" else { return true }
        return asked.split(separator: ",").contains { $0 == system.bench.name }
    }

    static let method = """
        Who signs in can not be told from the time of a refusal: method
          HTTP/1   unknown, active, lapsed and blocked readers with a wrong password in an order of chance, \(pairs) rounds a run, on
                   connections that are kept; times of each known kind against the unknown one by Mann and Whitney's test
          HTTP/2   a known and an unknown reader as two streams in one TLS record, \(pairs) pairs a run, each first in half of them; which
                   answer comes first by the exact binomial test
          cold     each attempt has another wrong password; warm: the same again and again
          sound    p is \(TimingSeries.threshold) or more in three runs out of three, with three more runs, twice at most, where it is not;
                   and p of all pairs of all runs together is \(TimingSeries.pooledThreshold) or more, always.
                   HTTP/1: and the medians of all runs are within a tenth, with more runs, too, where they are not
          wrong    by these numbers, with 500 pairs a run: a sound gate of 144 comparisons fails in one run of fifty (2 %). A leak is
                   found in 76 % (HTTP/2) and 93 % (HTTP/1) where one of the two is first, or slower, in 55 % of pairs; in
                   92 % and 99 % where in 56 %; in more than 99 % where in 58 %
        """
}
