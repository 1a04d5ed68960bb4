import ArgumentParser

struct MailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mail", abstract: "Test the sending of e-mail to readers.",
        subcommands: [MailSendTestCommand.self])
}
