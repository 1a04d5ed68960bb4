import ArgumentParser
import Gatefold
import Mail
import Primitives
import Server
import Transfers

struct MailSendTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send-test", abstract: "Send a test message, and report the response of the mail server.",
        discussion: """
            The exit status is 69 if the mail server is unreachable or defers the message, and 1 if it rejects the \
            message.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var audit: AuditOptions

    @Argument(help: "The recipient's address.")
    var address: String

    private struct Report: Encodable {
        let server: String
    }

    func validate() throws {
        if MailAddress(address) == nil {
            throw ValidationError("expected an address such as ada@example.com, not \(address)")
        }
    }

    func run() async throws {
        let read = try configuration.read()
        guard let settings = read.mail else {
            throw CommandFailure(.configuration, "expected a section `mail` in the configuration")
        }
        do {
            let reply = try await audit.trail(read).perform(
                .mailSendTest, of: [.identifier(address, read.state.pseudonymKey)]
            ) { try settings.sendTestEmail(to: address, clock: .system, random: .system) }
            try output.print(Report(server: reply.text), text: "Accepted by the mail server: \(reply.text)")
        } catch let error as MailDeliveryError {
            // The operator entered the address and may read the server's reply about it.
            let replyText = error.reply.text.isEmpty ? "" : ": \(error.reply.text)"
            throw CommandFailure(error.isPermanent ? .negativeResult : .unavailable, "\(error)\(replyText)")
        } catch let error as MailRejected {
            throw CommandFailure(.usage, "\(error)")
        }
    }
}
