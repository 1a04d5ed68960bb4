import ArgumentParser
import Catalogues
import Commerce
import Foundation
import Gatefold
import Primitives
import Server

struct PurchasesShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show an owner's purchases and the editions they open. Exits with 1 if there are none.",
        discussion: """
            Includes the purchases of linked installations and accounts. The editions come from the configuration or \
            from the last fetched catalogue. Entitlements of the subscriber system are not queried.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var publication: PublicationOption
    @OptionGroup var owner: OwnerOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var audit: AuditOptions

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
        /// The other owners that are the same person.
        let linked: [String]
        let isSubscribed: Bool
        /// A Boolean value that indicates whether all editions are open, future ones included.
        let opensEverything: Bool
        /// The open editions; nil if no catalogue is known.
        let editions: [String]?
        let transactions: [Transaction]
    }

    func run() async throws {
        let read = try configuration.read()
        let chosen = try read.publication(named: publication.publication)
        guard let purchases = chosen.purchases else {
            throw CommandFailure(.configuration, "\(chosen.publication.id) has no store")
        }
        let purchaseOwner = try owner.owner(read, in: chosen)
        let state = try Bootstrap.existingStateStore(read)
        try await audit.trail(read, in: state).record(
            .purchaseShow, of: [.owner(purchaseOwner)], in: chosen.publication.id)
        let transactions = try await state.transactions(of: purchaseOwner, in: Set(purchases.stores))
        let linked = try await state.person(of: purchaseOwner).dropFirst()
        let environments = try Bootstrap.environments(of: chosen, in: read)
        let counting = transactions.filter { environments.contains($0.environment) }
        let cache = CatalogueCache(folder: read.catalogueFolder, publication: chosen.publication.id)
        let catalogue = chosen.knownCatalogue(cache)
        let now = WallClock.system.now
        let holdings = purchases.products.holdings(from: counting, in: catalogue ?? .pending, at: now)
        let rule = EntitlementRule(
            policy: chosen.publication.rule.policy, grace: chosen.publication.rule.grace,
            catalogue: catalogue ?? .pending)
        let opened = rule.subscription(of: holdings, at: now)?.entitlement ?? .nothing
        let report = Report(
            owner: purchaseOwner.description, linked: linked.map(\.description), isSubscribed: holdings.isSubscribed,
            opensEverything: opened == .allEditions,
            editions: catalogue.map { Self.editions(opened, of: $0, at: now) },
            transactions: transactions.sorted { ($0.purchased, $0.id) < ($1.purchased, $1.id) }.map {
                Report.Transaction(
                    store: $0.store.rawValue, transaction: $0.id, original: $0.original, product: $0.product,
                    environment: $0.environment.rawValue, purchased: $0.purchased, expires: $0.ends,
                    revoked: $0.revoked)
            })
        try output.print(report, text: Self.text(report))
        if transactions.isEmpty { throw ExitCode(CommandFailure.Status.negativeResult.rawValue) }
    }

    private static func editions(_ opened: Entitlement, of catalogue: Catalogue, at timestamp: Date) -> [String] {
        switch opened {
        case .allEditions: catalogue.offered(at: timestamp).map(\.id.rawValue)
        case .editions(let editions): editions.sorted().map(\.rawValue)
        }
    }

    private static func text(_ report: Report) -> String {
        let linked = report.linked.isEmpty ? [] : ["Linked with: \(report.linked.joined(separator: ", "))"]
        guard !report.transactions.isEmpty else {
            return (["Owner \(report.owner) has no purchases."] + linked).joined(separator: "\n")
        }
        let bought = report.transactions.map { transaction in
            let dates = [
                transaction.purchased.formatted(.iso8601), transaction.expires.map { "to \($0.formatted(.iso8601))" },
                transaction.revoked.map { "refunded \($0.formatted(.iso8601))" },
                transaction.environment == "production" ? nil : "in \(transaction.environment)",
            ].compactMap(\.self).joined(separator: " ")
            return "  \(transaction.product)  \(dates)  \(transaction.store)/\(transaction.transaction)"
        }
        return
            (["Owner \(report.owner) bought:"] + bought + linked + [
                "Subscribed: \(report.isSubscribed ? "yes" : "no")",
                "Opens: \(opens(report))",
            ]).joined(separator: "\n")
    }

    private static func opens(_ report: Report) -> String {
        if report.opensEverything { return "all editions" }
        guard let editions = report.editions else {
            return "unknown, because no catalogue has been fetched successfully"
        }
        return editions.isEmpty ? "no editions" : editions.joined(separator: ", ")
    }
}
