import ArgumentParser
import Backends
import Foundation
import Gatefold
import Server

struct SubscribersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscribers", abstract: "Manage the embedded subscriber database.",
        subcommands: [
            SubscribersImportCommand.self, SubscribersShowCommand.self, SubscribersListCommand.self,
            SubscribersSetStateCommand.self, SubscribersDeleteCommand.self, SubscribersExportCommand.self,
        ])
}

/// The options that select an embedded database.
struct DatabaseOptions: ParsableArguments {
    @OptionGroup var configuration: ConfigurationOptions

    @Option(name: .shortAndLong, help: "The backend's name; required if several are of the kind sqlite.")
    var backend: String?

    /// Opens the database and returns it with its configuration.
    func open() throws -> (database: SubscriberDatabase, kind: SQLiteBackendKind, configuration: GatefoldConfiguration)
    {
        let read = try configuration.read()
        let embedded = try Dictionary(
            uniqueKeysWithValues: Bootstrap.plan(read).entries.compactMap { entry in
                (entry.kind as? SQLiteBackendKind).map { (entry.name, $0) }
            })
        let chosen: SQLiteBackendKind
        if let backend {
            guard let kind = embedded[backend] else {
                throw CommandFailure(.usage, "no backend \(backend) of the kind sqlite")
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

/// A subscriber as the commands show it, without the password hash.
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
    /// The pseudonym; present only in the report of a single subscriber.
    let pseudonym: String?
    let identifier: String
    let state: String
    let currentState: String
    let hasPassword: Bool
    /// The time at which a chain last migrated the subscriber from another system; nil for a subscriber that the
    /// operator entered.
    let migrated: Date?
    /// The time at which the reader registered; nil for a subscriber that the operator entered or a chain migrated.
    let registered: Date?
    let message: String?
    let allEditions: Bool
    let periods: [PeriodReport]
    let editions: [String]
    let categories: [CategoryReport]

    init(_ record: SubscriberRecord, pseudonym: SubscriberPseudonym? = nil, at timestamp: Date) {
        id = record.id
        self.pseudonym = pseudonym?.description
        identifier = record.identifier
        state = record.state.rawValue
        currentState = record.subscription(at: timestamp).state.rawValue
        hasPassword = record.passwordHash != nil
        migrated = record.migrated
        registered = record.registered
        message = record.message
        allEditions = record.hasAllEditions
        periods = record.periods.map { PeriodReport(start: $0.start, end: $0.end) }
        editions = record.editions.map(\.rawValue)
        categories = record.categories.map { CategoryReport(scheme: $0.scheme, value: $0.value) }
    }

    var text: String {
        var lines = ["identifier  \(identifier)", "id          \(id)"]
        if let pseudonym { lines.append("pseudonym   \(pseudonym)") }
        lines.append("state       \(state), currently \(currentState)")
        lines.append("password    \(hasPassword ? "yes" : "none")")
        if let migrated { lines.append("migrated    \(migrated.formatted(.iso8601))") }
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
