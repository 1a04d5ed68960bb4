import ArgumentParser
import Commerce
import Gatefold
import Server

struct PurchasesEraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Erase an owner's receipts, claims and links. Exits with 1 if there was nothing to erase.",
        discussion: """
            Records of deliveries are retained without the account, so that no receipt is delivered twice, and \
            refunded purchases stay refunded. The store still has the other purchases: a restore in the app recreates \
            them.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var publication: PublicationOption
    @OptionGroup var owner: OwnerOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var audit: AuditOptions

    @Flag(help: "Include all linked owners, which belong to the same person.")
    var withLinked = false

    private struct Report: Encodable {
        let owners: [String]
        let removed: Int
    }

    func run() async throws {
        let read = try configuration.read()
        let chosen = try read.publication(named: publication.publication)
        let purchaseOwner = try owner.owner(read, in: chosen)
        let state = try Bootstrap.existingStateStore(read)
        let owners = withLinked ? try await state.person(of: purchaseOwner) : [purchaseOwner]
        let removed = try await audit.trail(read, in: state).perform(
            .purchaseErase, of: owners.map { .owner($0) }, in: chosen.publication.id,
            outcome: { (removed: Int) -> AuditDetails.Pairs in [("removed", String(removed))] }
        ) {
            var removed = 0
            var reader = TimelineReader()
            for owner in owners {
                removed += try await state.erase(owner)
                reader.add(owner, read.state.pseudonymKey)
            }
            _ = try await state.eraseTimeline(of: Array(reader.subjects))
            return removed
        }
        let names = owners.map(\.description).joined(separator: ", ")
        try output.print(
            Report(owners: owners.map(\.description), removed: removed),
            text: removed == 0
                ? "No records of owner \(names)." : "Erased \(removed) records of owner \(names).")
        if removed == 0 { throw ExitCode(CommandFailure.Status.negativeResult.rawValue) }
    }
}
