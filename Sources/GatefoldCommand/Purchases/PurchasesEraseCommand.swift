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

    @Flag(help: "Whoever is linked with them, too: all of one person.")
    var withLinked = false

    private struct Report: Encodable {
        let owners: [String]
        let removed: Int
    }

    func run() async throws {
        let read = try configuration.read()
        let who = try owner.owner(read, in: try read.publication(named: publication.publication))
        let state = try Assembly.existingStateStore(read)
        let owners = withLinked ? try await state.person(of: who) : [who]
        var removed = 0
        for owner in owners { removed += try await state.erase(owner) }
        let names = owners.map(\.description).joined(separator: ", ")
        try output.print(
            Report(owners: owners.map(\.description), removed: removed),
            text: removed == 0
                ? "Nothing is known of owner \(names)." : "\(removed) records of owner \(names) are erased.")
        if removed == 0 { throw ExitCode(CommandFailure.Status.no.rawValue) }
    }
}
