public import ArgumentParser
public import Backends
import Gatefold
import Server

struct SubscribersListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List subscribers in the order of their identifiers.",
        discussion: "With --json one object a line, so that any number can be read as they come.")

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "Only those of this stored state: automatic, active, inactive or suspended.")
    var state: SubscriberRecord.State?

    @Option(help: "Begin after this identifier.")
    var after = ""

    @Option(help: "At most so many.")
    var limit: Int?

    private static let page = 1000

    func run() async throws {
        let opened = try database.open().database
        var last = CredentialFields.fold(after)
        var left = limit ?? .max
        while left > 0 {
            let records = try await opened.list(after: last, limit: min(left, Self.page), state: state)
            for record in records {
                let report = SubscriberReport(record, at: WallClock.system.now)
                print(
                    output.json
                        ? try OutputOptions.encode(report)
                        : "\(report.identifier)\t\(report.state)\t\(report.presentState)")
            }
            guard let final = records.last, records.count == min(left, Self.page) else { return }
            last = final.identifier
            left -= records.count
        }
    }
}

extension SubscriberRecord.State: ExpressibleByArgument {}
