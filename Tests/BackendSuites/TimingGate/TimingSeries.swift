import Foundation

/// Runs of one comparison, and what they say together.
///
/// A run is sound where p is at least 0.01, and a series where all of its three runs are (PITFALLS row 6). Of a hundred sound
/// series three fail by chance, and a run of the gate makes 144: a series that fails is measured again, twice at most.
///
/// A leak that is small enough to pass in one series of three must not pass for that, nor one that no single run shows: all pairs
/// of all runs together must be sound as well, however many there were. For that p has a threshold of its own, far below that of a
/// run: the runs that made the series be repeated are among them. `TimingSeriesPowerTests` says how often all of this is wrong.
///
/// Where times are compared, not orders, the medians of all runs must be near each other as well. A machine that was busy for a
/// while can move one of them, so that a series is also measured again for that.
struct TimingSeries {
    static let runs = 3
    static let most = 3
    /// Below it, a run speaks for a leak.
    static let threshold = 0.01
    /// Below it, all pairs of all runs together do.
    static let pooledThreshold = 0.0002

    private(set) var series: [[Double]] = [[]]
    /// How likely all pairs of all runs are together; nil until the first run was added.
    private(set) var pooled: Double?
    /// The medians of all runs, of the known kind and of the unknown one, in relation; one where only orders are compared.
    private(set) var ratio = 1.0
    /// How far they may be apart.
    static let ratios = 0.9...1.1

    /// Three runs out of three, and all that was measured.
    var isSound: Bool { isSettled && (pooled ?? 0) >= Self.pooledThreshold }
    var isOver: Bool { isSettled || (series.count == Self.most && series.last?.count == Self.runs) }

    private var isSettled: Bool { hasSoundRuns && Self.ratios.contains(ratio) }

    private var hasSoundRuns: Bool {
        series.last?.count == Self.runs && series.last?.allSatisfy { $0 >= Self.threshold } == true
    }

    /// - Parameters:
    ///   - p: of the run.
    ///   - pooled: of all pairs so far, with those of this run.
    ///   - ratio: of the medians of these.
    mutating func add(_ p: Double, pooled: Double, ratio: Double = 1) {
        self.ratio = ratio
        if series[series.count - 1].count == Self.runs { series.append([]) }
        series[series.count - 1].append(p)
        self.pooled = pooled
    }

    var description: String {
        let runs = series.map { $0.map(Self.text).joined(separator: " ") }.joined(separator: " | ")
        return pooled.map { "\(runs) | all \(Self.text($0))" } ?? runs
    }

    private static func text(_ p: Double) -> String { p < 0.0001 ? "<0.0001" : String(format: "%.4f", p) }
}
