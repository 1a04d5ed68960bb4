import AdminAPI
import Gatefold
import HTTPTypes
import JSON

extension AdminOperations {
    /// The maximum number of campaigns that a list shows: the latest ones.
    private static let maxCampaigns = 1_000

    static let campaigns: [Operation] = [
        Operation(
            "listCampaigns", .get, "/publications/{publication}/push/campaigns", role: .viewer, reach: .publication,
            summary: "List the push campaigns of a publication",
            query: [AdminProperty("unfinished", .boolean, "Only those that are not finished.", isRequired: false)],
            success: .page(
                of: .object([
                    AdminProperty("name", AdminSchemas.text, "The name of the campaign."),
                    AdminProperty("app", AdminSchemas.text, "The app."),
                    AdminProperty("environment", .choice(PushEnvironment.allCases.map(\.rawValue)), "The environment."),
                    AdminProperty("edition", .nullable(AdminSchemas.text), "The edition; null for none."),
                    AdminProperty("begun", .timestamp, "The start."),
                    AdminProperty("sent", .integer(0...1_000_000_000), "The messages that were sent."),
                    AdminProperty("failed", .integer(0...1_000_000_000), "The messages that failed."),
                    AdminProperty("gone", .integer(0...1_000_000_000), "The installations that no longer exist."),
                    AdminProperty("finished", .nullable(.timestamp), "The end; null while it runs."),
                ]), "A page of campaigns, the newest first.")
        ) { services, call in
            let campaigns = try await services.state.campaigns(
                in: try call.publication, unfinished: call.query["unfinished"]?.boolValue ?? false,
                limit: maxCampaigns)
            return try call.page.page(
                ofAll: campaigns, isAscending: false, by: { TimeKey.of($0.begun, $0.name) }
            ) { campaign in
                [
                    "name": .string(campaign.name), "app": .string(campaign.app),
                    "environment": .string(campaign.environment.rawValue),
                    "edition": .optional(campaign.edition?.rawValue), "begun": .time(campaign.begun),
                    "sent": .count(campaign.sent), "failed": .count(campaign.failed),
                    "gone": .count(campaign.gone), "finished": .time(campaign.finished),
                ]
            }
        }
    ]
}
