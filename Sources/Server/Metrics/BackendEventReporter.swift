import Backends
import Logging
import Metrics

/// The reporter that converts events of backends into metrics and log lines.
enum BackendEventReporter {
    static func report(_ event: BackendEvent, to logger: Logger) {
        if let queried = event.queried {
            Metrics.Timer(
                label: "gatefold_backend_query_duration",
                dimensions: [
                    ("backend", event.backend), ("query", queried.query), ("outcome", queried.outcome.rawValue),
                ]
            ).record(duration: queried.duration)
            return
        }
        Counter(
            label: "gatefold_backend_events_total", dimensions: [("backend", event.backend), ("event", event.name)]
        ).increment()
        guard let detail = event.detail else { return }
        logger.notice(
            "Backend event",
            metadata: ["backend": "\(event.backend)", "event": "\(event.name)", "detail": "\(detail)"])
    }
}
