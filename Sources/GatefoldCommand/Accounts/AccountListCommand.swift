import ArgumentParser
import Foundation
import Gatefold
import Server
import State

struct AccountListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List a publication's accounts in the order of their numbers.",
        discussion: "With --json one object a line, so that any number can be read as they come.")

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var publication: PublicationOption
    @OptionGroup var output: OutputOptions

    @Option(help: "Begin after this number.")
    var after: Int64 = 0

    @Option(help: "At most so many.")
    var limit: Int?

    private static let page = 1000

    func run() async throws {
        let read = try configuration.read()
        let chosen = try read.publication(named: publication.publication).publication.id
        let state = try Assembly.existingStateStore(read)
        var last = after
        var left = limit ?? .max
        while left > 0 {
            let most = min(left, Self.page)
            let accounts = try await state.accounts(in: chosen, after: last, limit: most)
            for account in accounts {
                let report = AccountReport(account)
                print(
                    output.json
                        ? try OutputOptions.encode(report)
                        : "\(report.number)\t\(report.identifier)\t\(report.created.formatted(.iso8601))")
            }
            guard let final = accounts.last, accounts.count == most else { return }
            last = final.number
            left -= accounts.count
        }
    }
}
