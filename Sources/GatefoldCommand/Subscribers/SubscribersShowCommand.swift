import ArgumentParser
import Backends
import Gatefold
import Primitives
import Server

struct SubscribersShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one subscriber. Exits with 1 if there is none.",
        discussion: "The pseudonym identifies the subscriber in logs and in `token revoke --subscriber`.")

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var audit: AuditOptions

    @Argument(help: "The subscriber's sign-in identifier, such as the e-mail address.")
    var identifier: String

    func run() async throws {
        let opened = try await database.open()
        guard let record = try await opened.database.find(identifier) else {
            throw CommandFailure(.negativeResult, "no such subscriber")
        }
        let reference = opened.configuration.state.pseudonymKey.reference(to: opened.kind.subscriber(record))
        try await audit.trail(opened.configuration).record(
            .subscriberShow, of: [.subscriber(reference)], [("backend", opened.kind.backend)])
        let report = SubscriberReport(record, pseudonym: reference, at: WallClock.system.now)
        try output.print(report, text: report.text)
    }
}
