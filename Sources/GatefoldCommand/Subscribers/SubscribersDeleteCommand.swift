import ArgumentParser
import Backends
import Gatefold
import Server
import State

struct SubscribersDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a subscriber and all their records.",
        discussion: "Also erases the subscriber's timeline. Tokens of the subscriber then have the state unknown.")

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var audit: AuditOptions

    @Argument(help: "The subscriber's sign-in identifier.")
    var identifier: String

    func run() async throws {
        let opened = try await database.open()
        try await opened.change(identifier, .subscriberDelete, audit) { database in
            guard let id = try await database.id(of: identifier) else { return false }
            var reader = TimelineReader()
            reader.add(opened.kind.subscriber(id), opened.configuration.state.pseudonymKey)
            reader.add(identifier: identifier, opened.configuration.state.pseudonymKey)
            let state = try Bootstrap.auditedStateStore(opened.configuration)
            // First, so that the command can be repeated if the state fails, and again, because a sign-in in between shows that
            // the reader exists.
            _ = try await state.eraseTimeline(of: Array(reader.subjects))
            let isDeleted = try await database.delete(identifier)
            _ = try await state.eraseTimeline(of: Array(reader.subjects))
            return isDeleted
        }
    }
}
