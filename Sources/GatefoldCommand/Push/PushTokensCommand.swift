import ArgumentParser
import Gatefold
import Push

struct PushTokensCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokens", abstract: "Count the push tokens of each app and environment.")

    @OptionGroup var options: PushOptions
    @OptionGroup var output: OutputOptions

    private struct Report: Encodable {
        let app: String
        let environment: String
        let tokens: Int
    }

    func run() async throws {
        let campaignSender = try options.campaignSender()
        var reports: [Report] = []
        for app in campaignSender.settings.apps {
            for environment in PushEnvironment.allCases {
                let count = try await campaignSender.store.countPushTokens(of: app.id, in: environment, after: 0)
                reports.append(Report(app: app.id, environment: environment.rawValue, tokens: count))
            }
        }
        try output.print(
            reports, text: reports.map { "\($0.app) \($0.environment): \($0.tokens)" }.joined(separator: "\n"))
    }
}
