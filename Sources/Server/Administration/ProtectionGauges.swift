import Metrics
import Resilience
import Synchronization

/// The exporter that writes the counts of protected backends into the metrics.
final class ProtectionGauges: Sendable {
    private struct Reported {
        /// The counted instance. A reopened backend counts from zero again, but the metrics continue.
        let instance: ObjectIdentifier
        var counts: [ProtectionStatus.Count: Int]
    }

    private let reported = Mutex<[String: Reported]>([:])

    func report(_ status: ProtectionStatus, of backend: ProtectedBackend) {
        let name = ("backend", backend.name)
        for (label, value) in [
            ("in_flight", status.inUse), ("queued", status.waiting), ("cache_entries", status.entries),
            ("cache_bytes", status.bytes),
        ] {
            Gauge(label: "gatefold_backend_\(label)", dimensions: [name]).record(value)
        }
        for state in CircuitBreakerState.allCases {
            Gauge(label: "gatefold_backend_breaker", dimensions: [name, ("state", state.rawValue)])
                .record(state == status.breaker ? 1 : 0)
        }
        for (count, growth) in increments(status, of: backend) {
            Counter(label: "gatefold_backend_results_total", dimensions: [name, ("source", count.rawValue)])
                .increment(by: growth)
        }
    }

    private func increments(_ status: ProtectionStatus, of backend: ProtectedBackend) -> [ProtectionStatus.Count: Int] {
        reported.withLock { reported in
            let instance = ObjectIdentifier(backend)
            let before = reported[backend.name].flatMap { $0.instance == instance ? $0.counts : nil } ?? [:]
            reported[backend.name] = Reported(instance: instance, counts: status.counts)
            return status.counts.reduce(into: [:]) { $0[$1.key] = max(0, $1.value - before[$1.key, default: 0]) }
        }
    }
}
