import Backends
import Foundation
import Resilience

/// The measurements of a herd.
struct HerdReport: Sendable {
    var requests = 0
    /// The number of requests that got the true subscription.
    var served = 0
    /// The number of requests that were deferred, which is a 503 on the wire.
    var rejected = 0
    /// The number of successful requests of readers whose results were cached when the herd arrived.
    var warmServed = 0
    var warmRejected = 0
    /// The number of queries to the subscriber system during the herd.
    var queried = 0
    var peakConcurrency = 0
    var failureCount = 0
    /// The maximum number of later requests whose queries ran before that of an earlier request.
    var maxOvertaking = 0
    var counts: [ProtectionStatus.Count: Int] = [:]
    var entries = 0
    var bytes = 0
    var seconds = 0.0
    var warmLatencies: [Duration] = []
    var latencies: [Duration] = []

    var text: String {
        """
        requests                  \(requests) in \(Self.decimal(seconds)) s
        served                    \(served)
          fresh from the cache    \(counts[.fresh, default: 0])
          ageing from the cache   \(counts[.revalidating, default: 0])
          shared a query          \(counts[.coalesced, default: 0])
          last known good         \(counts[.lastKnownGood, default: 0])
        rejected (503)            \(rejected)
          queue full              \(counts[.queueFull, default: 0])
          queue timeout           \(counts[.queueTimeout, default: 0])
          breaker open            \(counts[.breakerOpen, default: 0])
        warm readers              \(warmServed) served, \(warmRejected) rejected
        subscriber system         \(queried) queries, at most \(peakConcurrency) at once, failed \(failureCount) times
        order of the cold         no request was overtaken by more than \(maxOvertaking) later requests
        latency of the warm       p50 \(Self.milliseconds(warmLatencies, 0.5)), p99 \(Self.milliseconds(warmLatencies, 0.99))
        latency of all            p50 \(Self.milliseconds(latencies, 0.5)), p99 \(Self.milliseconds(latencies, 0.99))
        cached                    \(entries) results, \(bytes / 1_000) kB by estimate
        peak memory               \(Self.peakMemory)
        """
    }

    private static func decimal(_ number: Double) -> String { String(format: "%.2f", number) }

    private static func milliseconds(_ latencies: [Duration], _ share: Double) -> String {
        guard !latencies.isEmpty else { return "-" }
        let sorted = latencies.sorted()
        let latency = sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
        return decimal(latency / .milliseconds(1)) + " ms"
    }

    /// The peak memory of the process, as reported in proc(5).
    private static var peakMemory: String {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.map { $0.dropFirst(6).trimmingCharacters(in: .whitespaces) } ?? "unknown"
    }
}
