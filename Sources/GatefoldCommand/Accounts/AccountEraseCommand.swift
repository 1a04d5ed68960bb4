import ArgumentParser
import Backends
import Gatefold
import Server
import State

struct AccountEraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase", abstract: "Erase a reader for good. Exits with 1 when there was nothing to erase.",
        discussion: """
            Accounts and purchases go in all publications. Of a reader who registers in an embedded database \
            (`self_service: true`), sessions and devices end and the subscriber is deleted, too. Another subscriber system \
            keeps its own record, and a reader it still knows can sign in again: delete them there first.

            What was delivered stays on record without the account, and what a store took back stays taken back, see \
            `purchases erase`.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var publication: PublicationOption
    @OptionGroup var output: OutputOptions

    @Argument(help: "What the reader signs in with.")
    var identifier: String

    private struct Report: Encodable {
        /// The readers as `gatefold purchases` names them.
        var owners: [String] = []
        var accounts = 0
        var purchaseRecords = 0
        var devices = 0
        /// In these backends' databases.
        var subscribers: [String] = []
    }

    func run() async throws {
        let read = try configuration.read()
        let chosen = try read.publication(named: publication.publication)
        let state = try Assembly.existingStateStore(read)
        let references = read.state.references
        var report = Report()
        var owners = Set(
            try await state.accounts(identifiedBy: identifier, in: chosen.publication.id).map(\.owner))
        let plan = try Assembly.plan(read)
        var registered: [(kind: SQLiteBackendKind, database: SubscriberDatabase, subscriber: Subscriber)] = []
        for (name, kind) in SelfServiceDatabases.asked(by: chosen.backend, in: plan) {
            let database: SubscriberDatabase
            do {
                database = try kind.openDatabase()
            } catch {
                throw CommandFailure(opening: error, of: name)
            }
            guard let record = try await database.find(identifier) else { continue }
            let subscriber = kind.subscriber(record)
            registered.append((kind, database, subscriber))
            owners.insert(references.owner(subscriber))
        }
        // In the order in which readers erase themselves: nothing of somebody who is half erased can be used.
        let recorded = try await RevocationLists.recorded(in: state)
        for (_, _, subscriber) in registered {
            let reference = references.reference(to: subscriber)
            for publication in read.publications.map(\.publication.id) {
                try await state.record(
                    recorded.list(for: publication).ending(reference, at: WallClock.system.now))
                for device in try await state.devices(of: reference, in: publication) {
                    try await state.remove(device.reference, of: reference, in: publication)
                    report.devices += 1
                }
            }
        }
        for owner in owners.sorted(by: { $0.description < $1.description }) {
            report.purchaseRecords += try await state.erase(owner)
            report.accounts += try await state.eraseAccounts(of: owner)
            report.owners.append(owner.description)
        }
        for (_, database, subscriber) in registered where try await database.delete(identifier) {
            report.subscribers.append(subscriber.backend)
        }
        try output.print(report, text: Self.text(report))
        if report.owners.isEmpty { throw ExitCode(CommandFailure.Status.no.rawValue) }
    }

    private static func text(_ report: Report) -> String {
        guard !report.owners.isEmpty else { return "Nothing is known of this reader." }
        var lines = [
            """
            Erased \(report.accounts) accounts, \(report.purchaseRecords) records of purchases and \(report.devices) \
            devices of owner \(report.owners.joined(separator: ", ")).
            """
        ]
        lines += report.subscribers.map { "The subscriber of \($0) is deleted." }
        if report.subscribers.isEmpty {
            lines.append("No embedded database had the reader: the subscriber system keeps its own record.")
        }
        return lines.joined(separator: "\n")
    }
}

/// The embedded databases in which the readers of a publication register.
enum SelfServiceDatabases {
    /// - Parameter backend: the publication's; what it asks counts, however far.
    static func asked(by backend: String, in plan: BackendPlan) -> [(name: String, kind: SQLiteBackendKind)] {
        var waiting = [backend]
        var seen: Set<String> = []
        var found: [(name: String, kind: SQLiteBackendKind)] = []
        while let name = waiting.popLast() {
            guard seen.insert(name).inserted, let entry = plan.entries.first(where: { $0.name == name }) else {
                continue
            }
            if let kind = entry.kind as? SQLiteBackendKind, kind.isSelfService { found.append((name, kind)) }
            waiting += entry.kind.members
        }
        return found
    }
}
