import ArgumentParser
import Backends

struct SubscribersSetStateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-state", abstract: "Suspend a subscriber, or change the state otherwise.",
        discussion: """
            automatic follows the subscription periods. A running server sees the change at once: from then on no edition \
            is handed out. Edition credentials handed out before go on to their end; `token revoke --subscriber` ends \
            them, too.
            """)

    @OptionGroup var database: DatabaseOptions

    @Argument(help: "What the subscriber signs in with.")
    var identifier: String

    @Argument(help: "automatic, active, inactive or suspended.")
    var state: SubscriberRecord.State

    @Option(help: "Words shown to the reader in place of the publication's.")
    var message: String?

    func run() async throws {
        guard try await database.open().database.setState(state, message: message, of: identifier) else {
            throw CommandFailure(.no, "there is no such subscriber")
        }
    }
}
