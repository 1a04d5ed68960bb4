import Logging
import ServiceLifecycle
import UnixSignals

/// Reads the configuration and the certificate again on SIGHUP. What can not be used is reported, and what was in force
/// stays in force.
struct ReloadService: Service {
    let reload: @Sendable () async throws -> Void
    let logger: Logger

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            do {
                try await reload()
                logger.notice("configuration read again")
            } catch {
                logger.error("configuration not read again, the old one goes on", metadata: ["reason": "\(error)"])
            }
        }
    }
}
