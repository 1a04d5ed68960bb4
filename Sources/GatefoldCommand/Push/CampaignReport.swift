import Foundation
import Gatefold
import Push

/// The progress of a campaign, as `push send` reports it.
struct CampaignReport: Encodable {
    let campaign: String
    let app: String
    let environment: String
    let edition: String?
    let total: Int
    let sent: Int
    let failed: Int
    let gone: Int
    let finished: Bool

    init(_ campaign: PushCampaign, total: Int) {
        self.campaign = campaign.name
        app = campaign.app
        environment = campaign.environment.rawValue
        edition = campaign.edition?.rawValue
        self.total = total
        sent = campaign.sent
        failed = campaign.failed
        gone = campaign.gone
        finished = campaign.finished != nil
    }
}
