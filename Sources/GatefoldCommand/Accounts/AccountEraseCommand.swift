import Accounts
import ArgumentParser
import Backends
import Commerce
import Gatefold
import Primitives
import Resilience
import Server
import State

struct AccountEraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase", abstract: "Erase a reader permanently. Exits with 1 if there was nothing to erase.",
        discussion: """
            Erases accounts, purchases and the timeline in all publications. If the reader registered in a database of Gatefold \
            (`self_service: true`), the command also ends the sessions and deletes the devices and the subscriber. In \
            any other subscriber system, delete the reader first, because the reader can otherwise sign in again.

            Records of deliveries are retained without the account, and refunded purchases stay refunded. See \
            `purchases erase`.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var publication: PublicationOption
    @OptionGroup var output: OutputOptions
    @OptionGroup var audit: AuditOptions

    @Argument(help: "The reader's sign-in identifier.")
    var identifier: String

    private struct Report: Encodable {
        /// The readers' names in `gatefold purchases`.
        var owners: [String] = []
        var accounts = 0
        var purchaseRecords = 0
        var devices = 0
        /// The entries of the timeline.
        var events = 0
        /// The backends whose databases contained the reader.
        var subscribers: [String] = []
    }

    func run() async throws {
        let read = try configuration.read()
        let chosen = try read.publication(named: publication.publication)
        let state = try Bootstrap.existingStateStore(read)
        let pseudonymKey = read.state.pseudonymKey
        var owners = Set(
            try await state.accounts(identifiedBy: identifier, in: chosen.publication.id).map(\.owner))
        let plan = try Bootstrap.plan(read)
        var registered: [(opened: OpenedSubscribers, subscriber: Subscriber)] = []
        for (name, kind) in SelfServiceDatabases.requested(by: chosen.backend, in: plan) {
            let database: SubscriberDatabase
            do {
                database = try kind.openDatabase()
                try await database.health()
            } catch {
                throw CommandFailure(opening: error, of: name)
            }
            guard let id = try await database.id(of: identifier) else { continue }
            let subscriber = kind.subscriber(id)
            registered.append((OpenedSubscribers(database: database, kind: kind, configuration: read), subscriber))
            owners.insert(pseudonymKey.owner(subscriber))
        }
        let sorted = owners.sorted { $0.description < $1.description }
        let subjects = sorted.isEmpty ? [AuditSubject.identifier(identifier, pseudonymKey)] : sorted.map { .owner($0) }
        let report = try await audit.trail(read, in: state).perform(
            .accountErase, of: subjects, in: chosen.publication.id,
            outcome: { (report: Report) -> AuditDetails.Pairs in
                [
                    ("accounts", String(report.accounts)), ("purchase_records", String(report.purchaseRecords)),
                    ("devices", String(report.devices)), ("events", String(report.events)),
                    ("subscribers", String(report.subscribers.count)),
                ]
            }
        ) { try await erase(sorted, registered, read, in: state) }
        try output.print(report, text: Self.text(report))
        if report.owners.isEmpty { throw ExitCode(CommandFailure.Status.negativeResult.rawValue) }
    }

    private func erase(
        _ owners: [PurchaseOwner], _ registered: [(opened: OpenedSubscribers, subscriber: Subscriber)],
        _ read: GatefoldConfiguration, in state: any StateStore
    ) async throws -> Report {
        var report = Report()
        // The order is that of a reader's own erasure, so that no data of a partly erased reader can be used.
        let recorded = try await RevocationLists.recorded(in: state)
        for (_, subscriber) in registered {
            let reference = read.state.pseudonymKey.reference(to: subscriber)
            for publication in read.publications.map(\.publication.id) {
                try await state.record(
                    recorded.list(for: publication).makeRevocation(reference, at: state.now))
                for device in try await state.devices(of: reference, in: publication) {
                    try await state.remove(device.reference, of: reference, in: publication)
                    report.devices += 1
                }
            }
        }
        for owner in owners {
            report.purchaseRecords += try await state.erase(owner)
            report.accounts += try await state.eraseAccounts(of: owner)
            report.owners.append(owner.description)
        }
        var reader = TimelineReader()
        reader.add(identifier: identifier, read.state.pseudonymKey)
        for owner in owners { reader.add(owner, read.state.pseudonymKey) }
        for (_, subscriber) in registered { reader.add(subscriber, read.state.pseudonymKey) }
        report.events = try await state.eraseTimeline(of: Array(reader.subjects))
        for (opened, subscriber) in registered where try await opened.database.delete(identifier) {
            report.subscribers.append(subscriber.backend)
            await opened.didChange(.subscriber(subscriber, identifier: identifier))
        }
        // Events of a sign-in in between.
        report.events += try await state.eraseTimeline(of: Array(reader.subjects))
        return report
    }

    private static func text(_ report: Report) -> String {
        guard !report.owners.isEmpty else { return "No records of this reader." }
        var lines = [
            """
            Erased \(report.accounts) accounts, \(report.purchaseRecords) records of purchases and \(report.devices) \
            devices of owner \(report.owners.joined(separator: ", ")).
            """
        ]
        lines += report.subscribers.map { "Deleted the subscriber of \($0)." }
        if report.subscribers.isEmpty {
            lines.append("No database of Gatefold has the reader. The subscriber system has its own record.")
        }
        return lines.joined(separator: "\n")
    }
}

/// The subscriber databases in which the readers of a publication register.
enum SelfServiceDatabases {
    /// - Parameter backend: The publication's backend. The backends that it queries count too, directly or
    ///   indirectly.
    static func requested(
        by backend: String, in plan: BackendPlan
    ) -> [(name: String, kind: any SubscriberDatabaseKind)] {
        var waiting = [backend]
        var seen: Set<String> = []
        var found: [(name: String, kind: any SubscriberDatabaseKind)] = []
        while let name = waiting.popLast() {
            guard seen.insert(name).inserted, let entry = plan.entries.first(where: { $0.name == name }) else {
                continue
            }
            if let kind = entry.kind as? any SubscriberDatabaseKind, kind.registry.isSelfService {
                found.append((name, kind))
            }
            waiting += entry.kind.members
        }
        return found
    }
}
