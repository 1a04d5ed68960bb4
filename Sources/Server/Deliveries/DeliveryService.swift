import Deliveries
import ServiceLifecycle

/// A service that delivers purchases until the server stops.
struct DeliveryService: Service {
    let worker: DeliveryWorker

    func run() async throws {
        await cancelWhenGracefulShutdown { await worker.run() }
    }
}
