import ArgumentParser
import Gatefold
import Server
import State

struct AccountShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show what is kept of a reader who has an account. Exits with 1 without one.",
        discussion: """
            More than one are shown where readers of several systems, or one after the other, signed in with the same \
            identifier. What they bought is shown by `purchases show`, what the embedded database keeps by `subscribers show`.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var publication: PublicationOption
    @OptionGroup var output: OutputOptions

    @Argument(help: "What the reader signs in with.")
    var identifier: String

    func run() async throws {
        let read = try configuration.read()
        let chosen = try read.publication(named: publication.publication).publication.id
        let accounts = try await Assembly.existingStateStore(read).accounts(identifiedBy: identifier, in: chosen)
        guard !accounts.isEmpty else { throw CommandFailure(.no, "there is no such account") }
        let reports = accounts.map { AccountReport($0) }
        try output.print(reports, text: reports.map(\.text).joined(separator: "\n\n"))
    }
}
