import ArgumentParser
import Foundation
import Gatefold
import Server
import State

struct DeliveriesListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List deliveries that wait, the latest first.",
        discussion: """
            A line each, with tabs between its name, its reference in logs, its product and quantity, and how it stands. The \
            account is personal data and is shown only when asked for.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var publication: PublicationOption
    @OptionGroup var output: OutputOptions

    @Flag(help: "Those that were delivered or taken back, too.")
    var all = false

    @Flag(help: "Show the account, too.")
    var revealAccount = false

    @Option(help: "At most so many.")
    var limit = 1000

    func validate() throws {
        if limit < 1 { throw ValidationError("expected a --limit of 1 or more") }
    }

    private struct Report: Encodable {
        let id: String
        let reference: String
        let product: String
        let quantity: Int
        let ordered: Date
        var account: String?
        var attempts: Int?
        var next: Date?
        var cause: String?
        var delivered: Date?
        /// Refunded before it was delivered.
        var isTakenBack: Bool?

        enum CodingKeys: String, CodingKey {
            case id, reference, product, quantity, ordered, account, attempts, next, cause, delivered
            case isTakenBack = "taken_back"
        }

        init(_ record: DeliveryRecord, revealingAccount: Bool) {
            let delivery = record.delivery
            id = delivery.id.description
            reference = delivery.id.reference
            product = delivery.product
            quantity = delivery.quantity
            ordered = record.ordered
            account = revealingAccount ? delivery.credit.account : nil
            switch record.standing {
            case .waiting(let attempts, let next, let cause):
                self.attempts = attempts
                self.next = next
                self.cause = cause
            case .delivered(let moment): delivered = moment
            case .takenBack: isTakenBack = true
            }
        }

        var line: String {
            let standing =
                isTakenBack.map { _ in "taken back" } ?? delivered.map { "delivered \($0.formatted(.iso8601))" }
                ?? "waiting, \(attempts ?? 0) attempts, next \(next?.formatted(.iso8601) ?? "")"
            return ([id, reference, "\(quantity) × \(product)", standing] + [cause, account].compactMap(\.self))
                .joined(separator: "\t")
        }
    }

    func run() async throws {
        let read = try configuration.read()
        let chosen = try read.publication(named: publication.publication)
        let records = try await Assembly.existingStateStore(read).deliveries(
            in: chosen.publication.id, waiting: !all, limit: limit)
        for record in records {
            let report = Report(record, revealingAccount: revealAccount)
            print(output.json ? try OutputOptions.encode(report) : report.line)
        }
    }
}
