/// How a circuit breaker stands.
public enum BreakerPosition: String, Sendable, CaseIterable {
    case closed
    case open
    /// The next question decides.
    case halfOpen = "half-open"
    /// There is none.
    case off
}
