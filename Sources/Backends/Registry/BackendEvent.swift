/// What happened in or around a backend, for logs and metrics. Holds no credential, token or name.
public struct BackendEvent: Sendable, Equatable {
    /// The backend's name in the configuration.
    public let backend: String
    /// What happened, in snake case, such as `breaker_opened`: also the value of the metric's label.
    public let name: String
    /// Further words for the log; nil when the event is only counted.
    public let detail: String?

    public init(backend: String, name: String, detail: String? = nil) {
        self.backend = backend
        self.name = name
        self.detail = detail
    }
}
