import Mail
import ServiceLifecycle

/// Sends letters until the server stops, and for a few seconds more those that wait.
struct MailService: Service {
    let office: MailOffice

    func run() async throws {
        await withGracefulShutdownHandler {
            await office.run()
        } onGracefulShutdown: {
            office.close()
        }
    }
}
