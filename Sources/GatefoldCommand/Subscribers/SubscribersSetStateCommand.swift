import ArgumentParser
import Backends
import Gatefold

struct SubscribersSetStateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-state", abstract: "Change the state of a subscriber.",
        discussion: """
            `automatic` derives the state from the subscription periods. A running server applies the change \
            immediately, or within two seconds with the kind registry, and issues no more edition credentials. Credentials issued before stay valid until they \
            expire; `token revoke --subscriber` ends them too.
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var audit: AuditOptions

    @Argument(help: "The subscriber's sign-in identifier.")
    var identifier: String

    @Argument(help: "The new state: automatic, active, inactive or suspended.")
    var state: SubscriberRecord.State

    @Option(help: "The message to the reader. Default: the publication's message for the state.")
    var message: String?

    func run() async throws {
        try await database.open().change(identifier, .subscriberSetState, audit, [("state", state.rawValue)]) {
            try await $0.setState(state, message: message, of: identifier)
        }
    }
}
