import Mail
import ServiceLifecycle

/// A service that sends e-mail messages until the server stops, and queued messages for a few seconds more.
struct MailService: Service {
    let mailer: QueueingMailer

    func run() async throws {
        await withGracefulShutdownHandler {
            await mailer.run()
        } onGracefulShutdown: {
            mailer.close()
        }
    }
}
