import ArgumentParser
import Commerce
import Foundation
import Gatefold
import Server

struct PurchasesStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Count the receipts that are pending, verified and rejected.")

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var publication: PublicationOption
    @OptionGroup var output: OutputOptions

    private struct Report: Encodable {
        struct Store: Encodable {
            let store: String
            let pending: Int
            let verified: Int
            let rejected: Int
        }

        let publication: String
        let stores: [Store]
        let pendingSince: Date?
    }

    func run() async throws {
        let read = try configuration.read()
        let chosen = try read.publication(named: publication.publication).publication.id
        let counts = try await Bootstrap.existingStateStore(read).receiptCounts(in: chosen)
        let stores = counts.stores.sorted { $0.key < $1.key }.map { name, count in
            Report.Store(
                store: name.rawValue, pending: count.pending, verified: count.verified, rejected: count.rejected)
        }
        var lines = stores.map {
            "\($0.store): \($0.pending) pending, \($0.verified) verified, \($0.rejected) rejected"
        }
        if lines.isEmpty { lines = ["No receipts."] }
        if let since = counts.pendingSince { lines.append("The oldest is pending since \(since.formatted(.iso8601)).") }
        try output.print(
            Report(publication: chosen.rawValue, stores: stores, pendingSince: counts.pendingSince),
            text: lines.joined(separator: "\n"))
    }
}
