import ArgumentParser
import Foundation
import Gatefold
import Server
import State

struct DeliveriesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deliveries", abstract: "See what was bought and is to be handed out, and settle what got stuck.",
        discussion: "A running server sees what these change within seconds.",
        subcommands: [DeliveriesListCommand.self, DeliveriesRetryCommand.self, DeliveriesSettleCommand.self])
}

/// Which deliveries are meant.
struct DeliveryArguments: ParsableArguments {
    @Argument(help: "Deliveries as STORE/TRANSACTION, as `deliveries list` shows them.")
    var ids: [String] = []

    func read() throws -> [Delivery.ID] {
        try ids.map { text in
            guard let id = Delivery.ID(text) else {
                throw CommandFailure(.usage, "expected STORE/TRANSACTION, not \(text)")
            }
            return id
        }
    }
}

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

    @Flag(help: "Those that were delivered, too.")
    var all = false

    @Flag(help: "Show the account, too.")
    var revealAccount = false

    @Option(help: "At most so many.")
    var limit = 1000

    struct Report: Encodable {
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
            }
        }

        var line: String {
            let standing =
                delivered.map { "delivered \($0.formatted(.iso8601))" }
                ?? "waiting, \(attempts ?? 0) attempts, next \(next?.formatted(.iso8601) ?? "")"
            return ([id, reference, "\(quantity) × \(product)", standing] + [cause, account].compactMap(\.self))
                .joined(separator: "\t")
        }
    }

    func run() async throws {
        let read = try configuration.read()
        let chosen = try read.publication(named: publication.publication)
        let records = try await Assembly.stateStore(read).deliveries(
            in: chosen.publication.id, waiting: !all, limit: limit)
        for record in records {
            let report = Report(record, revealingAccount: revealAccount)
            print(output.json ? try OutputOptions.encode(report) : report.line)
        }
    }
}

struct DeliveriesRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Have deliveries that wait tried again at once.",
        discussion: "What was delivered is left alone.")

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var publication: PublicationOption
    @OptionGroup var arguments: DeliveryArguments

    @Flag(help: "All of the publication's that wait.")
    var all = false

    func validate() throws {
        guard all != !arguments.ids.isEmpty else { throw ValidationError("expected either deliveries or --all") }
    }

    func run() async throws {
        let read = try configuration.read()
        let store = try Assembly.stateStore(read)
        var ids = try arguments.read()
        if all {
            let chosen = try read.publication(named: publication.publication)
            ids = try await store.deliveries(in: chosen.publication.id, waiting: true, limit: .max).map(\.delivery.id)
        }
        for id in ids {
            try await store.deliveryFailed(id, cause: "tried again at the operator's word", next: WallClock.system.now)
        }
        print("\(ids.count) asked for again.")
    }
}

struct DeliveriesSettleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settle", abstract: "Note that deliveries were made by other means: they are never tried again.")

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var arguments: DeliveryArguments

    func validate() throws {
        guard !arguments.ids.isEmpty else { throw ValidationError("expected deliveries") }
    }

    func run() async throws {
        let ids = try arguments.read()
        let store = try Assembly.stateStore(try configuration.read())
        for id in ids { try await store.delivered(id, at: WallClock.system.now) }
        print("\(ids.count) settled.")
    }
}
