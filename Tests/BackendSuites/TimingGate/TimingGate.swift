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
                "unknown subscriber systems \(names.joined(separator: ", ")); expected all or some of "
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
        The time of a rejection does not reveal the reader: method
          HTTP/1   unknown, active, lapsed and blocked readers sign in with a wrong password over persistent connections, in random
                   order, \(pairs) rounds per run. The Mann-Whitney test compares the times of each known kind with the unknown one
          HTTP/2   a known and an unknown reader sign in by two streams in one TLS record, \(pairs) pairs per run, each first in half
                   of them. The exact binomial test compares which response comes first
          cold     each attempt has another wrong password; warm: the same wrong password is repeated
          sound    p is at least \(TimingSeries.threshold) in each of three runs; if not, up to two more series of three runs follow. Also, p of
                   all pairs of all runs is at least \(TimingSeries.pooledThreshold), without exception. HTTP/1: the medians of all runs differ by at
                   most a tenth, which up to two more series may also show
          errors   with 500 pairs per run, a sound gate of 144 comparisons fails in one run of fifty (2 %). The gate finds a leak in
                   76 % (HTTP/2) and 93 % (HTTP/1) of cases if one of the two is first, or slower, in 55 % of pairs; in 92 % and
                   99 % if in 56 %; in more than 99 % if in 58 %
        """
}
