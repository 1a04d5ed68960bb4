import Deliveries
import ServiceLifecycle

/// Hands out what was bought until the server stops.
struct DeliveryService: Service {
    let worker: DeliveryWorker

    func run() async throws {
        await cancelWhenGracefulShutdown { await worker.run() }
    }
}
