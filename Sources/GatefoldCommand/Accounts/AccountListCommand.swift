import Accounts
import ArgumentParser
import Foundation
import Gatefold
import Server

struct AccountListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List a publication's accounts, ordered by number.",
        discussion: "With --json, prints one object per line, so that a script can process the list as a stream.")

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var publication: PublicationOption
    @OptionGroup var output: OutputOptions
    @OptionGroup var audit: AuditOptions

    @Option(help: "Start after this account number.")
    var after: Int64 = 0

    @Option(help: "The maximum number of entries.")
    var limit: Int?

    private static let page = 1000

    func run() async throws {
        let read = try configuration.read()
        let chosen = try read.publication(named: publication.publication).publication.id
        let state = try Bootstrap.existingStateStore(read)
        try await audit.trail(read, in: state).record(
            .accountList, in: chosen, [("limit", limit.map(String.init))])
        var last = after
        var left = limit ?? .max
        while left > 0 {
            let batchSize = min(left, Self.page)
            let accounts = try await state.accounts(in: chosen, after: last, limit: batchSize)
            for account in accounts {
                let report = AccountReport(account)
                print(
                    output.json
                        ? try OutputOptions.encode(report)
                        : "\(report.number)\t\(report.identifier)\t\(report.created.formatted(.iso8601))")
            }
            guard let final = accounts.last, accounts.count == batchSize else { return }
            last = final.number
            left -= accounts.count
        }
    }
}
