import BackendFixtures
import Foundation

/// The measurement requested by `deploy/test --timing`.
enum TimingGate {
    private static let environment = ProcessInfo.processInfo.environment

    /// The requested systems, or nil if no timing is requested, because a run of all systems takes more than an hour.
    static let requested = environment["GATEFOLD_TIMING"]

    /// The number of attempts of each reader in a run (Pitfall 6: 500).
    static let pairs = environment["GATEFOLD_TIMING_PAIRS"].map { Int($0) ?? 0 } ?? 500

    /// The minimum number of pairs, below which only a very large leak would be found.
    static let minPairs = 100

    /// A request that cannot be measured.
    enum Unmeasurable: Error, Equatable, CustomStringConvertible {
        case systems([String])
        case pairs(Int)

        var description: String {
            switch self {
            case .systems(let names):
                "no subscriber system is called \(names.joined(separator: ", ")); there are "
                    + BackendFixtureCase.all.map { $0.fixture.name }.joined(separator: ", ")
            case .pairs(let pairs): "GATEFOLD_TIMING_PAIRS must be a number from \(minPairs), not \(pairs)"
            }
        }
    }

    /// Rejects a request without systems or with too few pairs, because no test would fail.
    static func check(_ requested: String, pairs: Int) throws(Unmeasurable) {
        let names = requested.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let strange = names.filter { name in
            name != "all" && !BackendFixtureCase.all.contains { $0.fixture.name == name }
        }
        guard strange.isEmpty else { throw .systems(strange) }
        // `all` cannot be combined with other names.
        guard names.count == 1 || !names.contains("all") else { throw .systems(["all"]) }
        guard pairs >= minPairs else { throw .pairs(pairs) }
    }

    /// The systems with a requested name, or all.
    static let systems = BackendFixtureCase.all.filter { system in
        guard let requested, requested != "all" else { return true }
        return requested.split(separator: ",").contains { $0 == system.fixture.name }
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
