import ArgumentParser
import Foundation
import Gatefold
import Push

struct PushStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "List the campaigns of a publication, newest first.")

    @OptionGroup var options: PushOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "The maximum number of campaigns.")
    var limit = 20

    private struct Report: Encodable {
        let campaign: String
        let app: String
        let environment: String
        let edition: String?
        let begun: Date
        let finished: Date?
        let sent: Int
        let failed: Int
        let gone: Int
        let ahead: Int
    }

    func validate() throws {
        if !(1...1_000).contains(limit) { throw ValidationError("expected --limit from 1 to 1000") }
    }

    func run() async throws {
        let campaignSender = try options.campaignSender()
        var reports: [Report] = []
        for campaign in try await campaignSender.store.campaigns(
            in: campaignSender.publication, unfinished: false, limit: limit)
        {
            let ahead =
                campaign.finished == nil
                ? try await campaignSender.store.countPushTokens(
                    of: campaign.app, in: campaign.environment, after: campaign.position) : 0
            reports.append(
                Report(
                    campaign: campaign.name, app: campaign.app, environment: campaign.environment.rawValue,
                    edition: campaign.edition?.rawValue, begun: campaign.begun, finished: campaign.finished,
                    sent: campaign.sent, failed: campaign.failed, gone: campaign.gone, ahead: ahead))
        }
        let lines = reports.map { report in
            let state = report.finished.map { "finished \($0.formatted(.iso8601))" } ?? "\(report.ahead) remaining"
            return "\(report.campaign): started \(report.begun.formatted(.iso8601)), \(state); "
                + "\(report.sent) sent, \(report.failed) failed, \(report.gone) gone"
        }
        try output.print(reports, text: lines.isEmpty ? "No campaigns." : lines.joined(separator: "\n"))
    }
}
