/// What happened in or around a backend, for logs and metrics. Holds no credential, token or name.
public struct BackendEvent: Sendable, Equatable {
    /// A question that was really put to the backend.
    public struct Asked: Sendable, Equatable {
        public enum Outcome: String, Sendable {
            case answered
            case failed
            /// Nobody waited for the answer any more.
            case withdrawn
        }

        /// Such as `recognise` or `subscription`.
        public let question: String
        public let outcome: Outcome
        /// Until the call had really ended, be that after its deadline.
        public let duration: Duration
    }

    /// The backend's name in the configuration.
    public let backend: String
    /// What happened, in snake case, such as `breaker_opened`: also the value of the metric's label.
    public let name: String
    /// Further words for the log; nil when the event is only counted.
    public let detail: String?
    /// Set when the event is that a question was put.
    public let asked: Asked?

    public init(backend: String, name: String, detail: String? = nil, asked: Asked? = nil) {
        self.backend = backend
        self.name = name
        self.detail = detail
        self.asked = asked
    }
}
