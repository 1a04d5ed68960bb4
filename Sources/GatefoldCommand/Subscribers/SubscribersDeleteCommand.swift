import ArgumentParser
import Backends

struct SubscribersDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a subscriber and all that belongs to them.",
        discussion: "Their tokens then have the state unknown.")

    @OptionGroup var database: DatabaseOptions

    @Argument(help: "What the subscriber signs in with.")
    var identifier: String

    func run() async throws {
        guard try await database.open().database.delete(identifier) else {
            throw CommandFailure(.no, "there is no such subscriber")
        }
    }
}
