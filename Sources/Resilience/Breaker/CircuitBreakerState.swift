/// The state of a circuit breaker.
public enum CircuitBreakerState: String, Sendable, CaseIterable {
    case closed
    case open
    /// The result of the next query decides whether the circuit breaker closes or opens.
    case halfOpen = "half-open"
    /// The circuit breaker is disabled.
    case off
}
