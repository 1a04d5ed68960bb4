import Foundation

/// The runs of one comparison and their combined verdict.
///
/// A run is sound if p is at least 0.01, and a series if all of its three runs are (Pitfall 6). Of a hundred sound
/// series three fail by chance, and a run of the gate makes 144: a failed series is measured again, twice at most.
///
/// A leak that is small enough to pass in one series of three must not pass, nor one that no single run shows: all
/// pairs of all runs together must be sound as well. That p has its own threshold, far below that of a run, because
/// it includes the runs that caused the repetition. `TimingSeriesPowerTests` measures how often the verdict is wrong.
///
/// If times are compared, not orders, the medians of all runs must be close as well. A machine that was busy for a
/// while can move one of them, so a series is measured again for that, too.
struct TimingSeries {
    static let runs = 3
    static let limit = 3
    /// The threshold of p below which a run indicates a leak.
    static let threshold = 0.01
    /// The threshold of p below which all pairs of all runs together indicate a leak.
    static let pooledThreshold = 0.0002

    private(set) var series: [[Double]] = [[]]
    /// The p of all pairs of all runs together; nil until the first run is added.
    private(set) var pooled: Double?
    /// The ratio of the medians of all runs, of the known kind to the unknown one; one if only orders are compared.
    private(set) var ratio = 1.0
    /// The accepted range of the ratio.
    static let ratios = 0.9...1.1

    /// Requires three sound runs and a sound total.
    var isSound: Bool { isSettled && (pooled ?? 0) >= Self.pooledThreshold }
    var isOver: Bool { isSettled || (series.count == Self.limit && series.last?.count == Self.runs) }

    private var isSettled: Bool { hasSoundRuns && Self.ratios.contains(ratio) }

    private var hasSoundRuns: Bool {
        series.last?.count == Self.runs && series.last?.allSatisfy { $0 >= Self.threshold } == true
    }

    /// - Parameters:
    ///   - p: the p of the run.
    ///   - pooled: the p of all pairs so far, including this run.
    ///   - ratio: the ratio of the medians of all pairs so far.
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
