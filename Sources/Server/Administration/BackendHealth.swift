import Backends
import Protections

/// How a subscriber backend is doing at present.
struct BackendHealth: Sendable {
    let name: String
    /// Whether it can be asked.
    let isUp: Bool
    /// Nil for one inside the process.
    let status: ProtectionStatus?

    /// Without a line end.
    var line: String {
        let word = isUp ? "ok" : "can not be asked"
        guard let status else { return "backend \(name): \(word)" }
        return "backend \(name): \(word), breaker \(status.breaker.rawValue), "
            + "asking \(status.asking) of \(status.mostAsking), waiting \(status.waiting) of \(status.mostWaiting), "
            + "remembering \(status.entries) answers in \(status.bytes / 1_000) kB"
    }
}
