import ArgumentParser
import Commerce
import Foundation
import Gatefold
import Server

struct DeliveriesListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List pending deliveries, newest first.",
        discussion: """
            Prints one line per delivery, separated by tabs: name, reference in logs, product and quantity, and \
            status. The account is personal data and is shown only on request.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var publication: PublicationOption
    @OptionGroup var output: OutputOptions
    @OptionGroup var audit: AuditOptions

    @Flag(help: "Include completed and refunded deliveries.")
    var all = false

    @Flag(help: "Include the account.")
    var revealAccount = false

    @Option(help: "The maximum number of entries.")
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
        /// A Boolean value that indicates whether the purchase was refunded before its delivery.
        var isRefunded: Bool?

        enum CodingKeys: String, CodingKey {
            case id, reference, product, quantity, ordered, account, attempts, next, cause, delivered
            case isRefunded = "refunded"
        }

        init(_ record: DeliveryRecord, revealingAccount: Bool) {
            let delivery = record.delivery
            id = delivery.id.description
            reference = delivery.id.reference
            product = delivery.product
            quantity = delivery.quantity
            ordered = record.ordered
            account = revealingAccount ? delivery.credit.account : nil
            switch record.status {
            case .pending(let attempts, let next, let cause):
                self.attempts = attempts
                self.next = next
                self.cause = cause
            case .delivered(let timestamp): delivered = timestamp
            case .refunded: isRefunded = true
            }
        }

        var line: String {
            let status =
                isRefunded.map { _ in "refunded" } ?? delivered.map { "delivered \($0.formatted(.iso8601))" }
                ?? "pending, \(attempts ?? 0) attempts, next \(next?.formatted(.iso8601) ?? "")"
            return ([id, reference, "\(quantity) × \(product)", status] + [cause, account].compactMap(\.self))
                .joined(separator: "\t")
        }
    }

    func run() async throws {
        let read = try configuration.read()
        let chosen = try read.publication(named: publication.publication)
        let store = try Bootstrap.existingStateStore(read)
        // Without the accounts the list names nobody.
        if revealAccount {
            try await audit.trail(read, in: store).record(
                .deliveryList, in: chosen.publication.id, [("accounts", "revealed"), ("limit", String(limit))])
        }
        let records = try await store.deliveries(in: chosen.publication.id, pendingOnly: !all, limit: limit)
        for record in records {
            let report = Report(record, revealingAccount: revealAccount)
            print(output.json ? try OutputOptions.encode(report) : report.line)
        }
    }
}
