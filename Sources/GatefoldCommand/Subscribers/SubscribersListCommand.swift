public import ArgumentParser
public import Backends
import Gatefold
import Primitives
import Server

struct SubscribersListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List subscribers, ordered by identifier.",
        discussion: "With --json, prints one object per line, so that a script can process the list as a stream.")

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var audit: AuditOptions

    @Option(help: "Only subscribers with this stored state: automatic, active, inactive or suspended.")
    var state: SubscriberRecord.State?

    @Option(help: "Start after this identifier.")
    var after = ""

    @Option(help: "The maximum number of entries.")
    var limit: Int?

    private static let page = 1000

    func run() async throws {
        let selected = try await database.open()
        try await audit.trail(selected.configuration).record(
            .subscriberList, of: [.backend(selected.kind.backend)], [("limit", limit.map(String.init))])
        let opened = selected.database
        var last = CredentialFields.fold(after)
        var left = limit ?? .max
        while left > 0 {
            let records = try await opened.list(after: last, limit: min(left, Self.page), state: state)
            for record in records {
                let report = SubscriberReport(record, at: WallClock.system.now)
                print(
                    output.json
                        ? try OutputOptions.encode(report)
                        : "\(report.identifier)\t\(report.state)\t\(report.currentState)")
            }
            guard let final = records.last, records.count == min(left, Self.page) else { return }
            last = final.identifier
            left -= records.count
        }
    }
}

extension SubscriberRecord.State: ExpressibleByArgument {}
