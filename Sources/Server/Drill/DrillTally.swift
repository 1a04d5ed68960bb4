import Synchronization

/// Counts the answers of one phase, from many readers at once.
final class DrillTally: Sendable {
    private struct Key: Hashable {
        let question: String
        let answer: String
        let isWrong: Bool
    }

    private let times = Mutex<[Key: [Double]]>([:])

    func note(_ question: String, _ answer: String, isWrong: Bool = false, milliseconds: Double) {
        let key = Key(question: question, answer: answer, isWrong: isWrong)
        times.withLock { $0[key, default: []].append(milliseconds) }
    }

    /// By question, the most frequent answer first.
    var answers: [DrillReport.Answer] {
        let all = times.withLock { $0 }
        return all.map { key, times in
            let sorted = times.sorted()
            return DrillReport.Answer(
                question: key.question, answer: key.answer, isWrong: key.isWrong, count: sorted.count,
                median: sorted[sorted.count / 2], slowest: sorted[(sorted.count * 99 - 1) / 100])
        }.sorted { ($0.question, -$0.count, $0.answer) < ($1.question, -$1.count, $1.answer) }
    }
}
