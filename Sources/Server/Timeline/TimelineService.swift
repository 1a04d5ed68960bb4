import Gatefold
import ServiceLifecycle

/// A service that writes the events of readers to the state each second, until the server stops, and then those that wait.
struct TimelineService: Service {
    let recorder: TimelineRecorder

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: .seconds(1))) != nil { await recorder.flush() }
        }
        await recorder.flush()
    }
}
