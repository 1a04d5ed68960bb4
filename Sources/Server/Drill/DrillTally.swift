import Synchronization

/// A counter of the results of one phase, for many concurrent readers.
final class DrillTally: Sendable {
    private struct Key: Hashable {
        let query: String
        let result: String
        let isWrong: Bool
    }

    private let times = Mutex<[Key: [Double]]>([:])

    func record(_ call: String, _ result: String, isWrong: Bool = false, milliseconds: Double) {
        let key = Key(query: call, result: result, isWrong: isWrong)
        times.withLock { $0[key, default: []].append(milliseconds) }
    }

    /// The results by call, the most frequent result first.
    var results: [DrillReport.ResultCount] {
        let all = times.withLock { $0 }
        return all.map { key, times in
            let sorted = times.sorted()
            return DrillReport.ResultCount(
                query: key.query, result: key.result, isWrong: key.isWrong, count: sorted.count,
                median: sorted[sorted.count / 2], p99: sorted[(sorted.count * 99 - 1) / 100])
        }.sorted { ($0.query, -$0.count, $0.result) < ($1.query, -$1.count, $1.result) }
    }
}
