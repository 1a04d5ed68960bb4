import ArgumentParser
import Backends
import Foundation
import Gatefold
import Server

struct SubscribersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscribers", abstract: "Look after the embedded subscriber database.",
        subcommands: [
            SubscribersImportCommand.self, SubscribersShowCommand.self, SubscribersListCommand.self,
            SubscribersSetStateCommand.self, SubscribersDeleteCommand.self, SubscribersExportCommand.self,
        ])
}

/// Which embedded database is meant.
struct DatabaseOptions: ParsableArguments {
    @OptionGroup var configuration: ConfigurationOptions

    @Option(name: .shortAndLong, help: "The backend's name; needed where several are of the kind sqlite.")
    var backend: String?

    /// The database, opened, with the configuration it was named in.
    func open() throws -> (database: SubscriberDatabase, kind: SQLiteBackendKind, configuration: GatefoldConfiguration)
    {
        let read = try configuration.read()
        let embedded = try Dictionary(
            uniqueKeysWithValues: Assembly.plan(read).entries.compactMap { entry in
                (entry.kind as? SQLiteBackendKind).map { (entry.name, $0) }
            })
        let chosen: SQLiteBackendKind
        if let backend {
            guard let kind = embedded[backend] else {
                throw CommandFailure(.usage, "there is no backend \(backend) of the kind sqlite")
            }
            chosen = kind
        } else {
            guard let kind = embedded.first?.value, embedded.count == 1 else {
                throw CommandFailure(
                    .usage, "expected --backend, one of \(embedded.keys.sorted().joined(separator: ", "))")
            }
            chosen = kind
        }
        do {
            return (try chosen.openDatabase(), chosen, read)
        } catch {
            throw CommandFailure(opening: error)
        }
    }
}

/// A subscriber as the commands show it; the password hash is not shown.
struct SubscriberReport: Encodable {
    struct PeriodReport: Encodable {
        let start: Date
        let end: Date?
    }

    struct CategoryReport: Encodable {
        let scheme: String
        let value: String
    }

    let id: Int64
    /// Only where one subscriber is asked for.
    let reference: String?
    let identifier: String
    let state: String
    let presentState: String
    let hasPassword: Bool
    /// When a chain last took the subscriber over from another system; missing for whom the operator wrote down.
    let adopted: Date?
    /// When the reader registered; missing for whom the operator or a chain wrote down.
    let registered: Date?
    let message: String?
    let allEditions: Bool
    let periods: [PeriodReport]
    let editions: [String]
    let categories: [CategoryReport]

    init(_ record: SubscriberRecord, reference: SubscriberReference? = nil, at moment: Date) {
        id = record.id
        self.reference = reference?.description
        identifier = record.identifier
        state = record.state.rawValue
        presentState = record.subscription(at: moment).state.rawValue
        hasPassword = record.passwordHash != nil
        adopted = record.adopted
        registered = record.registered
        message = record.message
        allEditions = record.hasAllEditions
        periods = record.periods.map { PeriodReport(start: $0.start, end: $0.end) }
        editions = record.editions.map(\.rawValue)
        categories = record.categories.map { CategoryReport(scheme: $0.scheme, value: $0.value) }
    }

    var text: String {
        var lines = ["identifier  \(identifier)", "id          \(id)"]
        if let reference { lines.append("reference   \(reference)") }
        lines.append("state       \(state), at present \(presentState)")
        lines.append("password    \(hasPassword ? "yes" : "none")")
        if let adopted { lines.append("adopted     \(adopted.formatted(.iso8601))") }
        if let registered { lines.append("registered  \(registered.formatted(.iso8601))") }
        if let message { lines.append("message     \(message)") }
        if allEditions { lines.append("editions    all") }
        for edition in editions { lines.append("edition     \(edition)") }
        for period in periods {
            lines.append("period      \(period.start.formatted(.iso8601)) to \(period.end?.formatted(.iso8601) ?? "…")")
        }
        for category in categories { lines.append("category    \(category.scheme) = \(category.value)") }
        return lines.joined(separator: "\n")
    }
}
