import Logging
import ServiceLifecycle
import UnixSignals

/// A service that reads the configuration and the certificate again on SIGHUP. If they are unusable, the service
/// logs the error, and the previous configuration stays in force.
struct ReloadService: Service {
    let reload: @Sendable () async throws -> Void
    let logger: Logger

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            do {
                try await reload()
                logger.notice("Configuration reloaded")
            } catch {
                logger.error("Configuration not reloaded, previous one in use", metadata: ["reason": "\(error)"])
            }
        }
    }
}
