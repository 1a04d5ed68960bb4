import ArgumentParser
import Gatefold
import Mail
import Server
import Transfers

struct MailSendTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send-test", abstract: "Send one letter, and tell what the mail server said.",
        discussion: """
            The exit status is 69 when the mail server can not be reached or may take the letter later, and 1 when it \
            refuses it.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "To whom.")
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
        guard let settings = try configuration.read().mail else {
            throw CommandFailure(.configuration, "expected a section `mail` in the configuration")
        }
        do {
            let reply = try settings.sendTestLetter(to: address, clock: .system, random: .system)
            try output.print(Report(server: reply.text), text: "The mail server has it: \(reply.text)")
        } catch let error as MailDeliveryError {
            // Whoever typed the address may read what is said of it.
            let words = error.reply.text.isEmpty ? "" : ": \(error.reply.text)"
            throw CommandFailure(error.isLasting ? .no : .unavailable, "\(error)\(words)")
        } catch let error as MailRefused {
            throw CommandFailure(.usage, "\(error)")
        }
    }
}
