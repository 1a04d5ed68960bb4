import ArgumentParser
import Backends
import Foundation
import Gatefold
import Resilience
import Server

struct SubscribersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscribers", abstract: "Manage the subscribers that Gatefold itself stores.",
        subcommands: [
            SubscribersImportCommand.self, SubscribersShowCommand.self, SubscribersListCommand.self,
            SubscribersSetStateCommand.self, SubscribersDeleteCommand.self, SubscribersExportCommand.self,
        ])
}

/// The options that select a subscriber database.
struct DatabaseOptions: ParsableArguments {
    @OptionGroup var configuration: ConfigurationOptions

    @Option(name: .shortAndLong, help: "The backend's name; required if several are of the kind sqlite or registry.")
    var backend: String?

    /// Opens the database.
    func open() async throws -> OpenedSubscribers {
        let read = try configuration.read()
        let stored = try Dictionary(
            uniqueKeysWithValues: Bootstrap.plan(read).entries.compactMap { entry in
                (entry.kind as? any SubscriberDatabaseKind).map { (entry.name, $0) }
            })
        let chosen: any SubscriberDatabaseKind
        if let backend {
            guard let kind = stored[backend] else {
                throw CommandFailure(.usage, "no backend \(backend) of the kind sqlite or registry")
            }
            chosen = kind
        } else {
            guard let kind = stored.first?.value, stored.count == 1 else {
                throw CommandFailure(
                    .usage, "expected --backend, one of \(stored.keys.sorted().joined(separator: ", "))")
            }
            chosen = kind
        }
        do {
            let database = try chosen.openDatabase()
            try await database.health()
            return OpenedSubscribers(database: database, kind: chosen, configuration: read)
        } catch {
            throw CommandFailure(opening: error)
        }
    }
}

/// An open subscriber database with its configuration.
struct OpenedSubscribers {
    let database: SubscriberDatabase
    let kind: any SubscriberDatabaseKind
    let configuration: GatefoldConfiguration

    /// Changes a subscriber, and lets running servers know.
    ///
    /// - Parameters:
    ///   - action: The action, for the audit log.
    ///   - change: Returns false if there is no such subscriber.
    func change(
        _ identifier: String, _ action: AuditAction, _ audit: AuditOptions,
        _ details: AuditDetails.Pairs = [],
        _ change: (SubscriberDatabase) async throws -> Bool
    ) async throws {
        // Only the number is read, so that a damaged row can be changed, too.
        guard let id = try await database.id(of: identifier) else {
            throw CommandFailure(.negativeResult, "no such subscriber")
        }
        let pseudonym = configuration.state.pseudonymKey.reference(to: kind.subscriber(id))
        let changed = try await audit.trail(configuration).perform(
            action, of: [.subscriber(pseudonym)], [("backend", kind.backend)] + details,
            outcome: { (found: Bool) -> AuditDetails.Pairs in [("found", found ? "yes" : "no")] }
        ) { try await change(database) }
        guard changed else { throw CommandFailure(.negativeResult, "no such subscriber") }
        await didChange(.subscriber(kind.subscriber(id), identifier: identifier))
    }

    /// Lets running servers know of a change. If the state cannot be reached, prints a warning.
    func didChange(_ scope: BackendInvalidation.Scope) async {
        do {
            try await SubscriberChange.share(scope, of: kind.backend, in: configuration)
        } catch {
            FileHandle.standardError.write(
                Data("Changed, but running servers may not know it before cache.ttl: \(error)\n".utf8))
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
