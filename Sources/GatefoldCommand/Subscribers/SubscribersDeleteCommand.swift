import ArgumentParser
import Backends
import Gatefold

struct SubscribersDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a subscriber and all their records.",
        discussion: "Tokens of the subscriber then have the state unknown.")

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var audit: AuditOptions

    @Argument(help: "The subscriber's sign-in identifier.")
    var identifier: String

    func run() async throws {
        try await database.open().change(identifier, .subscriberDelete, audit) {
            try await $0.delete(identifier)
        }
    }
}
