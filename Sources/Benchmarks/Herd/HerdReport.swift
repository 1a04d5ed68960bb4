import Backends
import Foundation
import Protections

/// What a herd met with.
struct HerdReport: Sendable {
    var requests = 0
    /// Answered with the true subscription.
    var answered = 0
    /// Told to come back later: a 503 on the wire.
    var sentAway = 0
    /// Of those whose answers were remembered when the herd came.
    var warmAnswered = 0
    var warmSentAway = 0
    /// Questions that the subscriber system was asked during the herd.
    var asked = 0
    var mostAtOnce = 0
    var broke = 0
    /// The most requests that came later than one that was asked, and were asked before it.
    var overtaken = 0
    var counts: [ProtectionStatus.Count: Int] = [:]
    var entries = 0
    var bytes = 0
    var seconds = 0.0
    var warmLatencies: [Duration] = []
    var latencies: [Duration] = []

    var text: String {
        """
        requests                  \(requests) in \(Self.decimal(seconds)) s
        answered                  \(answered)
          fresh from memory       \(counts[.fresh, default: 0])
          ageing from memory      \(counts[.ageing, default: 0])
          shared a question       \(counts[.coalesced, default: 0])
          last known good         \(counts[.lastKnownGood, default: 0])
        sent away (503)           \(sentAway)
          queue full              \(counts[.queueFull, default: 0])
          patience over           \(counts[.patienceOver, default: 0])
          breaker open            \(counts[.breakerOpen, default: 0])
        warm readers              \(warmAnswered) answered, \(warmSentAway) sent away
        subscriber system         \(asked) questions, at most \(mostAtOnce) at once, broke \(broke) times
        order of the cold         nobody was overtaken by more than \(overtaken) later requests
        latency of the warm       p50 \(Self.milliseconds(warmLatencies, 0.5)), p99 \(Self.milliseconds(warmLatencies, 0.99))
        latency of all            p50 \(Self.milliseconds(latencies, 0.5)), p99 \(Self.milliseconds(latencies, 0.99))
        remembered                \(entries) answers, \(bytes / 1_000) kB by estimate
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

    /// The most memory the process ever had, as proc(5) tells it.
    private static var peakMemory: String {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.map { $0.dropFirst(6).trimmingCharacters(in: .whitespaces) } ?? "unknown"
    }
}
