import ArgumentParser
import Backends
import Gatefold
import Server

struct SubscribersShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one subscriber. Exits with 1 when there is none.",
        discussion: "The reference is what logs call the subscriber, and what `token revoke --subscriber` takes.")

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "What the subscriber signs in with, such as the e-mail address.")
    var identifier: String

    func run() async throws {
        let (opened, kind, configuration) = try database.open()
        guard let record = try await opened.find(identifier) else {
            throw CommandFailure(.no, "there is no such subscriber")
        }
        let reference = configuration.state.references.reference(to: kind.subscriber(record))
        let report = SubscriberReport(record, reference: reference, at: WallClock.system.now)
        try output.print(report, text: report.text)
    }
}
