import ArgumentParser
import Gatefold
import Server
import State

struct PurchasesEraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Forget somebody's receipts, claims and links. Exits with 1 when there was nothing to forget.",
        discussion: """
            What was delivered stays on record without the account, so that no receipt is delivered twice, and what the \
            store took back stays taken back. The store still has the other purchases: who restores them in the app has \
            them again.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var publication: PublicationOption
    @OptionGroup var owner: OwnerOptions
    @OptionGroup var output: OutputOptions

    private struct Report: Encodable {
        let owner: String
        let removed: Int
    }

    func run() async throws {
        let read = try configuration.read()
        let chosen = try read.publication(named: publication.publication).publication.id
        let who = owner.owner(read.state.references, in: chosen)
        let removed = try await Assembly.stateStore(read).erase(who)
        try output.print(
            Report(owner: who.description, removed: removed),
            text: removed == 0 ? "Nothing is known of owner \(who)." : "\(removed) records of owner \(who) are erased.")
        if removed == 0 { throw ExitCode(CommandFailure.Status.no.rawValue) }
    }
}
