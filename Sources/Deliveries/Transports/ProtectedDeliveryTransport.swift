import Commerce
import Resilience

/// A carrier with a circuit breaker and a deadline. The breaker pauses calls to a failing service or database.
struct ProtectedDeliveryTransport: DeliveryTransport {
    let transport: any DeliveryTransport
    let breaker: CircuitBreaker
    let deadline: Deadline

    func deliver(_ delivery: Delivery) async throws {
        try await breaker.guarding { _ in
            try await deadline.bound({ try await transport.deliver(delivery) }, ended: {})
        }
    }
}
