import ArgumentParser
import Backends
import Gatefold
import Server

struct SubscribersShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one subscriber. Exits with 1 when there is none.")

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "What the subscriber signs in with, such as the e-mail address.")
    var identifier: String

    func run() async throws {
        guard let record = try await database.open().database.find(identifier) else {
            throw CommandFailure(.no, "there is no such subscriber")
        }
        let report = SubscriberReport(record, at: WallClock.system.now)
        try output.print(report, text: report.text)
    }
}
