import Gatefold
import Primitives
import ServiceLifecycle

/// A service that writes the events of readers to the state each second, or sooner if many wait, until the server stops, and
/// then those that wait.
struct TimelineService: Service {
    let recorder: TimelineRecorder

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var seen = 0
            while (try? await recorder.isFilling.wait(after: seen, timeout: 1)) != nil {
                seen = recorder.isFilling.signalCount
                await recorder.flush()
            }
        }
        await recorder.finish()
    }
}
