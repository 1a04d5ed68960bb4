import Synchronization

/// A record of the outcome of each request.
final class HerdLog: Sendable {
    /// The number of the request that the current task serves.
    @TaskLocal static var number = 0

    private let report = Mutex(HerdReport())

    func record(_ reader: Int, isServed: Bool, _ latency: Duration) {
        report.withLock { report in
            report.requests += 1
            report.latencies.append(latency)
            if isServed { report.served += 1 } else { report.rejected += 1 }
            guard Herd.isWarm(reader) else { return }
            report.warmLatencies.append(latency)
            if isServed { report.warmServed += 1 } else { report.warmRejected += 1 }
        }
    }

    /// - Parameter queried: The queries to the subscriber system, in order.
    func report(queried: [FragileBackend.ReceivedQuery]) -> HerdReport {
        var report = report.withLock { $0 }
        report.queried = queried.count
        var latest = 0
        for request in queried where !Herd.isWarm(request.reader) {
            report.maxOvertaking = max(report.maxOvertaking, latest - request.number)
            latest = max(latest, request.number)
        }
        return report
    }
}
