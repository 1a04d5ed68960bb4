import Resilience

/// The current health of a subscriber backend.
struct BackendHealth: Sendable {
    let name: String
    /// A Boolean value that indicates whether the backend accepts queries.
    let isUp: Bool
    /// The protection status; nil for a backend inside the process.
    let status: ProtectionStatus?

    /// The status line, without a line end.
    var line: String {
        let state = isUp ? "ok" : "unavailable"
        guard let status else { return "backend \(name): \(state)" }
        return "backend \(name): \(state), breaker \(status.breaker.rawValue), "
            + "in flight \(status.inUse) of \(status.maxConcurrent), queued \(status.waiting) of \(status.maxQueued), "
            + "caching \(status.entries) results in \(status.bytes / 1_000) kB"
    }
}
