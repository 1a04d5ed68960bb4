package import Foundation
package import Gatefold

/// The default names of campaigns.
package enum CampaignName {
    /// Returns the name of an edition's campaign. The server and an operator get the same name, so that an edition
    /// is announced only once.
    package static func of(_ edition: EditionID, app: String, in environment: PushEnvironment) -> String {
        "\(app)/\(edition)\(suffix(environment))"
    }

    /// Returns the name of a campaign without an edition. Only the start time distinguishes such campaigns.
    package static func at(_ timestamp: Date, app: String, in environment: PushEnvironment) -> String {
        "\(app)/\(timestamp.formatted(.iso8601))\(suffix(environment))"
    }

    /// Returns whether the campaign has neither an edition nor its own name. The next such campaign may continue
    /// it.
    package static func isUsual(_ campaign: PushCampaign) -> Bool {
        campaign.name == at(campaign.begun, app: campaign.app, in: campaign.environment)
    }

    /// Returns whether the campaign announces an edition and has no name of its own.
    package static func isEditionSpecific(_ campaign: PushCampaign) -> Bool {
        campaign.edition.map { of($0, app: campaign.app, in: campaign.environment) } == campaign.name
    }

    private static func suffix(_ environment: PushEnvironment) -> String {
        environment == .production ? "" : "/\(environment.rawValue)"
    }
}
