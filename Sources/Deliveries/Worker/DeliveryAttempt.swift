/// The result of an attempt to make a delivery.
enum DeliveryAttempt: Sendable {
    /// The delivery was made or failed, and the outcome is recorded.
    case made
    /// No attempt was made: another process has the delivery or has completed it.
    case leftToOther
    /// No attempt was made: the circuit breaker is open.
    case suspended
}
