package import Gatefold

/// What became of notifications and campaigns, for logs and metrics. Holds no token.
package enum PushEvent: Sendable {
    case notification(PublicationID, app: String, NotificationResult)
    case began(PushCampaign)
    case finished(PushCampaign)
    /// Too old to be of use to anybody.
    case droppedLate(PushCampaign)
    case stopped(PushCampaign, cause: String, isTriedAgain: Bool)
    /// Campaigns could not be read or begun; it is tried again.
    case storeFailed(PublicationID, cause: String)
}
