package import Gatefold

/// An event in or around a backend, for logs and metrics. It contains no credential, token or name of a reader.
public struct BackendEvent: Sendable, Equatable {
    /// A query that was sent to the backend.
    public struct QueryRecord: Sendable, Equatable {
        public enum Outcome: String, Sendable {
            case succeeded
            case failed
            /// The query ended without a caller that waited for the result.
            case cancelled
        }

        /// The kind of query, such as `authenticate` or `subscription`.
        public let query: String
        public let outcome: Outcome
        /// The time until the call ended, even if that was after its deadline.
        public let duration: Duration
    }

    /// The backend's name in the configuration.
    public let backend: String
    /// The event's name in snake case, such as `breaker_opened`. It is also the label value of the metric.
    public let name: String
    /// Additional text for the log, or `nil` if the event is only counted.
    public let detail: String?
    /// The query, if the event is a query.
    public let queried: QueryRecord?

    public init(backend: String, name: String, detail: String? = nil, queried: QueryRecord? = nil) {
        self.backend = backend
        self.name = name
        self.detail = detail
        self.queried = queried
    }
}

extension BackendEvent: ReportableEvent {
    package var report: EventReport {
        if let queried {
            return .timer(
                "gatefold_backend_query_duration",
                ["backend": backend, "query": queried.query, "outcome": queried.outcome.rawValue], queried.duration)
        }
        let report = EventReport.counter("gatefold_backend_events_total", ["backend": backend, "event": name])
        guard let detail else { return report }
        return report.log(.notice, "Backend event", ["backend": backend, "event": name, "detail": detail])
    }
}
