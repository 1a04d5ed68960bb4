import Gatefold
import Protections

/// Leaves a service or a database that fails in peace, and waits for it no longer than so long.
struct ProtectedCarrier: DeliveryCarrier {
    let carrier: any DeliveryCarrier
    let breaker: CircuitBreaker
    let deadline: Deadline

    func deliver(_ delivery: Delivery) async throws {
        try await breaker.guarding { _ in
            try await deadline.bound({ try await carrier.deliver(delivery) }, ended: {})
        }
    }
}
