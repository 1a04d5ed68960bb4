import ArgumentParser
import Foundation
import Server
import State

struct StateStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the nodes, the leases and the queues of the state.",
        discussion: """
            Prints the rows that wait in each queue, the tasks that one process does under a lease, and the nodes of a state \
            in PostgreSQL as `nodes list` prints them.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    private struct Report: Encodable {
        let nodes: [NodeLine]
        let status: StateStatus

        enum CodingKeys: CodingKey { case nodes }

        func encode(to encoder: any Encoder) throws {
            try status.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(nodes, forKey: .nodes)
        }

        var text: String {
            let leases = status.leases.map { "lease\t\($0.name)\tuntil \($0.ends.formatted(.iso8601))" }
            let queues = [
                ("revocations", status.revocations), ("shared facts", status.sharedFacts),
                ("receipts waiting", status.receiptsWaiting), ("deliveries waiting", status.deliveriesWaiting),
                ("push campaigns unfinished", status.campaignsUnfinished),
                ("e-mails waiting", status.mailWaiting),
                ("e-mails with an unknown outcome", status.mailOutcomeUnknown),
            ].map { "\($0)\t\($1)" }
            return (queues + leases + nodes.map { "node\t" + $0.text }).joined(separator: "\n")
        }
    }

    func run() async throws {
        let store = try Bootstrap.existingStateStore(configuration.read())
        let report = Report(nodes: try await NodeLine.all(in: store), status: try await store.status())
        try output.print(report, text: report.text)
    }
}
