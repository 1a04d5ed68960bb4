package import Foundation
package import Gatefold

/// What campaigns are called unless somebody says otherwise.
package enum CampaignName {
    /// One edition is told once, whoever begins with it: the server or an operator.
    package static func of(_ edition: EditionID, app: String, in environment: PushEnvironment) -> String {
        "\(app)/\(edition)\(suffix(environment))"
    }

    /// Without an edition there is nothing to tell one from the next but the moment.
    package static func at(_ moment: Date, app: String, in environment: PushEnvironment) -> String {
        "\(app)/\(moment.formatted(.iso8601))\(suffix(environment))"
    }

    /// Whether the campaign was begun without an edition and a name: whoever begins the next such one may go on with it.
    package static func isUsual(_ campaign: PushCampaign) -> Bool {
        campaign.name == at(campaign.begun, app: campaign.app, in: campaign.environment)
    }

    private static func suffix(_ environment: PushEnvironment) -> String {
        environment == .production ? "" : "/\(environment.rawValue)"
    }
}
