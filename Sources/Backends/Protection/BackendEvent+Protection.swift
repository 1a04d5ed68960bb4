import Protections

extension BackendEvent {
    init(_ question: Question, _ outcome: Asked.Outcome, in duration: Duration, of backend: String) {
        self.init(
            backend: backend, name: "asked",
            asked: Asked(question: question.kind, outcome: outcome, duration: duration))
    }

    init(_ change: BreakerState.Change, of backend: String) {
        switch change {
        case .opened:
            self.init(
                backend: backend, name: "breaker_opened",
                detail: "the backend fails; it is left in peace for a while, and readers have their last known answers")
        case .closed:
            self.init(backend: backend, name: "breaker_closed", detail: "the backend answers again")
        }
    }
}
