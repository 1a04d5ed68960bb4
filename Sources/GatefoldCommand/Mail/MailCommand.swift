import ArgumentParser

struct MailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mail", abstract: "See that letters to readers can be sent.",
        subcommands: [MailSendTestCommand.self])
}
