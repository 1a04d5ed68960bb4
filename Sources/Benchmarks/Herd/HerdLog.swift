import Synchronization

/// What became of each request.
final class HerdLog: Sendable {
    /// The number of the request on whose behalf the present task runs.
    @TaskLocal static var number = 0

    private let report = Mutex(HerdReport())

    func note(_ reader: Int, isAnswered: Bool, _ latency: Duration) {
        report.withLock { report in
            report.requests += 1
            report.latencies.append(latency)
            if isAnswered { report.answered += 1 } else { report.sentAway += 1 }
            guard Herd.isWarm(reader) else { return }
            report.warmLatencies.append(latency)
            if isAnswered { report.warmAnswered += 1 } else { report.warmSentAway += 1 }
        }
    }

    /// - Parameter asked: what the subscriber system was asked, in order.
    func report(asked: [FragileBackend.Asked]) -> HerdReport {
        var report = report.withLock { $0 }
        report.asked = asked.count
        var latest = 0
        for question in asked where !Herd.isWarm(question.reader) {
            report.overtaken = max(report.overtaken, latest - question.number)
            latest = max(latest, question.number)
        }
        return report
    }
}
