import Accounts
import ArgumentParser
import Gatefold
import Server

struct AccountShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the account of a reader. Exits with 1 if there is none.",
        discussion: """
            Shows several accounts if several readers signed in with the same identifier, in different subscriber \
            systems or one after another. `purchases show` shows the purchases, and `subscribers show` the record in \
            the embedded database.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var publication: PublicationOption
    @OptionGroup var output: OutputOptions
    @OptionGroup var audit: AuditOptions

    @Argument(help: "The reader's sign-in identifier.")
    var identifier: String

    func run() async throws {
        let read = try configuration.read()
        let chosen = try read.publication(named: publication.publication).publication.id
        let state = try Bootstrap.existingStateStore(read)
        let accounts = try await state.accounts(identifiedBy: identifier, in: chosen)
        guard !accounts.isEmpty else { throw CommandFailure(.negativeResult, "no such account") }
        try await audit.trail(read, in: state).record(
            .accountShow, of: accounts.map { .owner($0.owner) }, in: chosen)
        let reports = accounts.map { AccountReport($0) }
        try output.print(reports, text: reports.map(\.text).joined(separator: "\n\n"))
    }
}
