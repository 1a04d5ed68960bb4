extension BackendEvent {
    init(_ kind: String, _ outcome: QueryRecord.Outcome, in duration: Duration, of backend: String) {
        self.init(
            backend: backend, name: "query",
            queried: QueryRecord(query: kind, outcome: outcome, duration: duration))
    }

    init(_ change: BreakerState.Change, of backend: String) {
        switch change {
        case .opened:
            self.init(
                backend: backend, name: "breaker_opened",
                detail: "the backend fails; queries are paused for a while, and readers get their last known results")
        case .closed:
            self.init(backend: backend, name: "breaker_closed", detail: "the backend responds again")
        }
    }
}
