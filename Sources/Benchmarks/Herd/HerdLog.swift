import Synchronization

/// Who came when, and how they left.
final class HerdLog: Sendable {
    private struct State {
        /// The number of the first request that each reader has under way.
        var arrivals: [Int?]
        var present: [Int]
        /// By reader, the numbers of requests that found nobody of the same reader waiting.
        var first: [[Int]]
        var report = HerdReport()
    }

    private let state: Mutex<State>

    init(readers: Int) {
        state = Mutex(
            State(
                arrivals: Array(repeating: nil, count: readers), present: Array(repeating: 0, count: readers),
                first: Array(repeating: [], count: readers)))
    }

    func arrives(_ reader: Int, _ number: Int) {
        state.withLock { state in
            state.present[reader] += 1
            if state.present[reader] == 1 { state.arrivals[reader] = number }
        }
    }

    func leaves(_ reader: Int, _ isAnswered: Bool, _ latency: Duration) {
        state.withLock { state in
            state.present[reader] -= 1
            if state.present[reader] == 0, isAnswered, let arrival = state.arrivals[reader] {
                state.first[reader].append(arrival)
            }
            state.report.requests += 1
            state.report.latencies.append(latency)
            if isAnswered { state.report.answered += 1 } else { state.report.sentAway += 1 }
            guard Herd.isWarm(reader) else { return }
            state.report.warmLatencies.append(latency)
            if isAnswered { state.report.warmAnswered += 1 } else { state.report.warmSentAway += 1 }
        }
    }

    /// - Parameter asked: the readers in the order in which the subscriber system was asked about them.
    func report(asked: [Int]) -> HerdReport {
        state.withLock { state in
            var report = state.report
            report.asked = asked.count
            // A cold reader's first answer is the one that was asked for; the later ones came from memory.
            let arrivals = asked.filter { !Herd.isWarm($0) }.compactMap { state.first[$0].first }
            var latest = 0
            for arrival in arrivals {
                report.overtaken = max(report.overtaken, latest - arrival)
                latest = max(latest, arrival)
            }
            return report
        }
    }
}
