import ArgumentParser
import Foundation
import Gatefold
import Server
import State

struct PurchasesShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show what somebody bought, and what it opens. Exits with 1 when it is nothing.",
        discussion: "What an installation or an account is linked with counts as its own.")

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var publication: PublicationOption
    @OptionGroup var owner: OwnerOptions
    @OptionGroup var output: OutputOptions

    private struct Report: Encodable {
        struct Transaction: Encodable {
            let store: String
            let transaction: String
            let original: String
            let product: String
            let environment: String
            let purchased: Date
            let expires: Date?
            let revoked: Date?
        }

        let owner: String
        let isSubscribed: Bool
        let editions: [String]
        let transactions: [Transaction]
    }

    func run() async throws {
        let read = try configuration.read()
        let chosen = try read.publication(named: publication.publication)
        guard let purchases = chosen.purchases else {
            throw CommandFailure(.configuration, "\(chosen.publication.id) sells in no store")
        }
        let who = owner.owner(read.state.references, in: chosen.publication.id)
        let transactions = try await Assembly.stateStore(read).transactions(of: who, in: Set(purchases.stores))
        let counting = transactions.filter { purchases.allowsSandbox || $0.environment != .sandbox }
        let holdings = purchases.products.holdings(
            from: counting, in: chosen.publication.rule.catalogue, at: WallClock.system.now)
        let report = Report(
            owner: who.description, isSubscribed: holdings.isSubscribed,
            editions: holdings.editions.sorted().map(\.rawValue),
            transactions: transactions.sorted { ($0.purchased, $0.id) < ($1.purchased, $1.id) }.map {
                Report.Transaction(
                    store: $0.store.rawValue, transaction: $0.id, original: $0.original, product: $0.product,
                    environment: $0.environment.rawValue, purchased: $0.purchased, expires: $0.ends,
                    revoked: $0.revoked)
            })
        try output.print(report, text: Self.text(report))
        if transactions.isEmpty { throw ExitCode(CommandFailure.Status.no.rawValue) }
    }

    private static func text(_ report: Report) -> String {
        guard !report.transactions.isEmpty else { return "Owner \(report.owner) bought nothing." }
        let bought = report.transactions.map { transaction in
            let dates = [
                transaction.purchased.formatted(.iso8601), transaction.expires.map { "to \($0.formatted(.iso8601))" },
                transaction.revoked.map { "taken back \($0.formatted(.iso8601))" },
                transaction.environment == "production" ? nil : "in \(transaction.environment)",
            ].compactMap(\.self).joined(separator: " ")
            return "  \(transaction.product)  \(dates)  \(transaction.store)/\(transaction.transaction)"
        }
        return
            (["Owner \(report.owner) bought:"] + bought + [
                "Subscribed: \(report.isSubscribed ? "yes" : "no")",
                "Opens: \(report.editions.isEmpty ? "nothing" : report.editions.joined(separator: ", "))",
            ]).joined(separator: "\n")
    }
}
