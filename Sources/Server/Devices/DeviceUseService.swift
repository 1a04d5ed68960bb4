import Gatefold
import ServiceLifecycle

/// A service that writes the uses of devices to the state each second, until the server stops.
struct DeviceUseService: Service {
    let store: any DeviceStore

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: .seconds(1))) != nil {
                // The followers of the state report its failures. The uses stay in memory.
                try? await store.writeUses()
            }
        }
        try? await store.writeUses()
    }
}
