import Backends
import Logging
import Metrics

/// Turns what happened in and around backends into metrics and log lines.
enum BackendEventReporter {
    static func report(_ event: BackendEvent, to logger: Logger) {
        if let asked = event.asked {
            Metrics.Timer(
                label: "gatefold_backend_question",
                dimensions: [
                    ("backend", event.backend), ("question", asked.question), ("outcome", asked.outcome.rawValue),
                ]
            ).record(duration: asked.duration)
            return
        }
        Counter(
            label: "gatefold_backend_events_total", dimensions: [("backend", event.backend), ("event", event.name)]
        ).increment()
        guard let detail = event.detail else { return }
        logger.notice(
            "backend event",
            metadata: ["backend": "\(event.backend)", "event": "\(event.name)", "detail": "\(detail)"])
    }
}
